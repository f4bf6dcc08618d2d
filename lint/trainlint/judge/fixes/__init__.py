# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Verified fixes: proposal -> edited text -> attempt -> fix.

A rule's candidates become proposals (`proposal`), the nearest first (`search`). Each is written into the
text, which is read again and proven to differ in nothing else (`proof`, `edited_texts`), and judged by every
rule in every reading within what the file may cost (`attempts`, `tries`). It is a fix where the finding is
gone and nothing came (`criterion`); `effects` says what it changes, and `fixer` chooses what to try. No edit
shortens what is learned unless that is asked for.
"""
