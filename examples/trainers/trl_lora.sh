#!/bin/sh
trl sft --config trl_lora.yaml
