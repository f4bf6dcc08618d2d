"""A tape played through CUDA's allocator on one card: what is live, what is reserved, what still fits."""
