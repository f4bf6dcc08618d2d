import yaml


def parse(path, is_train=True):
    options = yaml.safe_load(path)
    options["is_train"] = is_train
    return options
