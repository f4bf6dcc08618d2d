# timm's train.py, started on every GPU of the machine
torchrun --nproc_per_node=2 train.py --data-dir data/imagenet --model resnet50 -b 256 --amp --sched cosine --lr 0.5 --epochs 100 -j 8
