python -m torch.distributed.launch --nproc_per_node=2 --master_port=4321 \
  basicsr/train.py -opt options/x4.yml --launcher pytorch
