"""What the training steps of several trainers do alike."""
