"""traiNNer-redux."""
