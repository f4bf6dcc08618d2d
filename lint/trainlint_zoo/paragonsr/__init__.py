# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""ParagonSR and ParagonSR2, which a fork of traiNNer-redux trains."""
