import argparse

import torch

from basicsr.utils.options import parse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-opt", type=str, required=True)
    options = parse(parser.parse_args().opt)
    state = torch.load(options["path"]["resume_state"]) if options["path"].get("resume_state") else None
    best = state["best_metric"] if state else {"iter": 0}
    return options, state, best
