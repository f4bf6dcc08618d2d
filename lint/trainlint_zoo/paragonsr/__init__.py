"""ParagonSR and ParagonSR2, which a fork of traiNNer-redux trains."""
