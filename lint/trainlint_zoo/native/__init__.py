"""Jobs in trainlint's own words."""
