# train_vae.py at the size that its README begins with, and at the one that people try next
python train_vae.py --data_path data/photos --image_size 256 --batch_size 4
python train_vae.py --data_path data/photos --image_size 512 --batch_size 32 --mixed_precision
