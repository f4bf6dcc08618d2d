# GLF-CR on both GPUs of a Kaggle notebook
python train_CR_kaggle.py --batch_sz 4 --max_epochs 10 --gpu_ids 0,1
