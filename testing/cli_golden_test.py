#!/usr/bin/env python3
"""The command line against golden files: arguments in, standard output, standard error and exit status out.

Each case below is stored in testing/golden/cli/NAME.txt. After a wanted change: cli_golden_test.py STEPTP --update,
then read the difference. A golden file without a case is an error, and so is a case without its file.
Usage: cli_golden_test.py STEPTP [--update]. Exit status 0 when all agree, 1 otherwise.
"""

from __future__ import annotations

import difflib
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent / "golden" / "cli"
IDS = "json syntax race undefined-read scope-demoted not-written-unknown usage cannot-lower no-engine engine no-device no-nvrtc device-limit wrong-result root-mismatch worker-timed-out"

# name: arguments; what follows ` < ` is the file that standard input comes from.
CASES = {
    "help": "--help",
    "version": "--version",
    "help_fmt": "fmt --help",
    "help_check": "check --help",
    "help_run": "run --help",
    "help_verify": "verify --help",
    "help_tokens": "tokens --help",
    "help_strategies": "strategies --help",
    "help_explain": "explain --help",
    "help_choices": "choices --help",
    "help_apply": "apply --help",
    "help_moves": "moves --help",
    "help_replay": "replay --help",
    "help_optimize": "optimize --help",
    "optimize_unknown_device": "optimize files/chain.leir --device tpu",
    "optimize_errors": "optimize files/errors.leir",
    "optimize_emit_no_module": "optimize files/chain.leir --emit cuda -o out",
    "optimize_emit_unknown": "optimize files/chain.leir --emit ptx",
    "help_kernelbench": "kernelbench --help",
    "kernelbench_no_folder": "kernelbench",
    "kernelbench_no_python": "kernelbench files -o out --python /no/such/python",
    "kernelbench_device": "kernelbench files -o out --device tpu",
    "optimize_broken": "optimize files/broken.leir",
    "optimize_unknown": "optimize files/unknown.leir",
    "optimize_no_file": "optimize files/no_such_file.leir",
    "optimize_not_an_archive": "optimize files/not_an_archive.pt2",
    "optimize_samples": "optimize files/chain.leir --device nvidia-h200 --samples 3",
    "optimize_plan_other": "optimize files/product.leir --device nvidia-h200 --plan files/plan.json",
    "optimize_plan_other_json": "optimize --json files/product.leir --device nvidia-h200 --plan files/plan.json",
    "optimize_plan_version": "optimize files/chain.leir --device nvidia-h200 --plan files/plan_version.json",
    "optimize_plan_damaged": "optimize files/chain.leir --device nvidia-h200 --plan files/plan_damaged.json",
    "optimize_plan_stale": "optimize files/chain.leir --device nvidia-h200 --plan files/plan_stale.json",
    "optimize_plan": "optimize files/chain.leir --device nvidia-h200 --plan files/plan.json",
    "optimize_plan_device": "optimize files/chain.leir --device plain-cpu --plan files/plan.json",
    "optimize_beyond": "optimize files/launch.leir --device nvidia-h200",
    "help_tlm": "tlm --help",
    "help_tlm_sentences": "tlm sentences --help",
    "help_tlm_tokenize": "tlm tokenize --help",
    "help_tlm_replay": "tlm replay --help",
    "tlm_sentences": "tlm sentences files/chain.leir --samples 2",
    "tlm_sentences_decisions": "tlm sentences files/chain.leir --device plain-cpu --samples 2 --decisions",
    "tlm_sentences_json": "tlm sentences files/chain.leir --json --quality 0",
    "tlm_sentences_errors": "tlm sentences files/errors.leir",
    "tlm_sentences_long": "tlm sentences files/long_sum.leir",
    "tlm_sentences_device": "tlm sentences files/chain.leir --device toaster",
    "tlm_tokenize": "tlm tokenize files/sentence.txt",
    "tlm_tokenize_unknown": "tlm tokenize files/sentence.txt --words",
    "help_tlm_generate": "tlm generate --help",
    "help_tlm_partition": "tlm partition --help",
    "help_tlm_measure": "tlm measure --help",
    "tlm_generate_no_weights": "tlm generate files/chain.leir --device plain-cpu",
    "optimize_proposer_no_weights": "optimize files/chain.leir --device nvidia-h200 --proposer tlm",
    "optimize_proposer_damaged": "optimize files/chain.leir --proposer tlm --weights files/chain.leir",
    "optimize_proposer_samples": "optimize files/chain.leir --proposer tlm --samples 3",
    "optimize_proposer_unknown": "optimize files/chain.leir --proposer oracle",
    "optimize_weights_alone": "optimize files/chain.leir --weights files/chain.leir",
    "tlm_generate_damaged": "tlm generate files/chain.leir --weights files/chain.leir",
    "tlm_generate_other_vocabulary": "tlm generate files/chain.leir --weights ../../../steptp/tlm/golden/small.weights",
    "tlm_partition": "tlm partition files/chain.leir",
    "tlm_partition_json": "tlm partition files/chain.leir --json",
    "tlm_partition_errors": "tlm partition files/errors.leir",
    "tlm_replay": "tlm replay files/sentence.txt",
    "tlm_replay_json": "tlm replay files/sentence.txt --json --facts",
    "help_search": "search --help",
    "search_no_folder": "search show files",
    "search_no_device": "search files/chain.leir --device tpu",
    "search_no_target": "search files/chain.leir --target toaster",
    "search_errors": "search files/errors.leir --target plain-cpu",
    "search_two_files": "search files/chain.leir files/product.leir",
    "search_no_source": "search files/chain.leir --target plain-cpu --proposer replay",
    "search_no_endpoint": "search files/chain.leir --target plain-cpu --proposer model",
    "search_tlm_other_vocabulary": "search files/chain.leir --target plain-cpu --proposer tlm --from "
                                   "../../../steptp/tlm/golden/small.weights",
    "search_no_claims": "search files/chain.leir --target plain-cpu --claims nowhere.md",
    "search_device_of_the_table": "search files/chain.leir --device nvidia-h200",
    "search_archive": "search ../../../examples/feed_forward.pt2 --target plain-cpu --samples 1",
    "search_archive_damaged": "search files/not_an_archive.pt2 --target plain-cpu",
    "search_train_no_target": "search train files/chain.leir",
    "search_train_no_rows": "search train files/chain.leir --target nvidia-h200",
    "search_measure_no_output": "search measure files/chain.leir --device analytic:nvidia-h200",
    "search_analytic": "search files/chain.leir --target plain-cpu --samples 4 --algorithm greedy",
    "search_analytic_json": "search files/chain.leir --target plain-cpu --samples 3 --json",
    "help_lower": "lower --help",
    "help_time": "time --help",
    "help_estimate": "estimate --help",
    "help_device": "device --help",
    "device_table": "device nvidia-h200",
    "device_table_json": "device plain-cpu --json",
    "device_unknown": "device toaster",
    "estimate_copy": "estimate files/copy.leir --device nvidia-h200",
    "estimate_copy_json": "estimate --json files/copy.leir --device plain-cpu",
    "estimate_unknown_device": "estimate files/copy.leir --device toaster",
    "estimate_errors": "estimate files/errors.leir --device nvidia-a100",
    "help_dataset": "dataset --help",
    "help_dataset_build": "dataset build --help",
    "help_dataset_merge": "dataset merge --help",
    "dataset_build_no_folder": "dataset build",
    "dataset_build_bad_setting": "dataset build --out unused --mix 1/2",
    "dataset_build_bad_strategy": "dataset build --out unused --strategies loop_splt",
    "dataset_build_bad_shard": "dataset build --out unused --shard 2/2",
    "dataset_build_nothing": "dataset build --out unused --programs 0",
    "dataset_show_no_dataset": "dataset show files",
    "dataset_show_unknown_strategy": "dataset show files --strategy loop_splt",
    "dataset_build_bad_time": "dataset build --out unused --time-limit soon",
    "dataset_build_print_config": "dataset build --programs 100 --print-config",
    "dataset_merge_no_dataset": "dataset merge files --out unused",
    "help_dataset_export": "dataset export --help",
    "help_dataset_stats": "dataset stats --help",
    "help_dataset_validate": "dataset validate --help",
    "dataset_export_no_dataset": "dataset export files",
    "dataset_export_unknown_config": "dataset export files --configs chat_ful",
    "dataset_stats_no_dataset": "dataset stats files",
    "dataset_validate_no_export": "dataset validate files",
    "dataset_validate_bad_judge": "dataset validate files --judge some",
    "time_no_device": "time files/copy.leir --device cuda",
    "time_no_device_json": "time --json files/copy.leir --device cuda",
    "time_errors": "time files/errors.leir",
    "time_unknown": "time --json files/unknown.leir",
    "time_broken": "time files/broken.leir",
    "time_bad_device": "time files/copy.leir --device tpu",
    "time_elements": "time ../../../examples/matmul.leir --elements --cache ''",
    "time_elements_json": "time ../../../examples/matmul.leir --elements --json --cache ''",
    "time_elements_usage": "time files/copy.leir --elements --root files/copy.leir",
    "time_bad_root": "time files/copy.leir --root files/no_such_file.leir",
    "time_root_errors": "time files/copy.leir --root files/errors.leir",
    "time_bad_against": "time files/copy.leir --against files/no_such_file.leir",
    "run_no_device": "run files/copy.leir --engine cuda",
    "lower_cuda": "lower files/staged.leir --to cuda",
    "lower_cuda_json": "lower --json files/staged.leir --to cuda",
    "lower_cuda_vanilla": "lower ../../../examples/row_softmax.leir --to cuda",
    "lower_cuda_launch": "lower files/launch.leir --to cuda",
    "lower_cuda_launch_json": "lower --json files/launch.leir --to cuda",
    "lower_cuda_halves": "lower files/halves.leir --to cuda",
    "lower_tir": "lower files/staged.leir --to tir",
    "lower_tir_published": "lower ../../../examples/row_softmax.leir --to tir --dialect tvm-0.21",
    "lower_tir_cpu": "lower files/staged.leir --to tir --target cpu",
    "lower_tir_json": "lower --json files/product.leir --to tir",
    "lower_tir_refused": "lower files/extended.leir --to tir",
    "lower_llvm": "lower files/copy.leir --to llvm",
    "lower_errors": "lower files/errors.leir --to cuda",
    "lower_unknown": "lower files/unknown.leir --to cuda",
    "lower_broken": "lower files/broken.leir --to cuda",
    "lower_no_back_end": "lower files/staged.leir",
    "lower_bad_back_end": "lower files/staged.leir --to metal",
    "lower_bad_device": "lower files/staged.leir --to cuda --device tpu",
    "help_grammar": "grammar --help",
    "help_zoo": "zoo --help",
    "help_zoo_list": "zoo list --help",
    "help_zoo_show": "zoo show --help",
    "help_zoo_draw": "zoo draw --help",
    "zoo_list": "zoo list",
    "zoo_list_json": "zoo list --json --level 3",
    "zoo_show": "zoo show Gemm_Add_ReLU",
    "zoo_show_compact": "zoo show softmax --profile compact --dtype f16 --arg dim=7",
    "zoo_show_json": "zoo show CrossEntropyLoss --json --arg batch_size=4",
    "zoo_show_torch": "zoo show MHA_max --emit torch --arg seq_len=8",
    "zoo_show_graph": "zoo show Conv2d_BatchNorm_Scaling --emit graph",
    "zoo_show_seed": "zoo show softmax --seed 3 --arg batch_size=8",
    "zoo_unknown_type": "zoo show Softmax",
    "zoo_unknown_argument": "zoo show softmax --arg rows=3",
    "zoo_bad_argument": "zoo show softmax --arg dim=three",
    "zoo_arguments_do_not_fit": "zoo show GroupNorm --arg num_groups=7",
    "zoo_draw": "zoo draw --count 3 --seed 9 --compositions 50",
    "zoo_draw_one": "zoo draw --seed 9 --first 2 --compositions 50",
    "zoo_draw_json": "zoo draw --count 2 --json --type ReLU --type GQA --dtype bf16",
    "zoo_draw_unknown": "zoo draw --type Nothing",
    "help_import": "import --help",
    "usage_nothing": "",
    "usage_unknown_verb": "frobnicate",
    "usage_misspelled_verb": "chekc files/copy.leir",
    "usage_no_file": "fmt",
    "usage_two_files": "fmt files/copy.leir files/ok.leir",
    "usage_bad_profile": "fmt --profile short files/copy.leir",
    "usage_negative_seed": "run files/copy.leir --seed -1",
    "usage_bad_jobs": "fmt --jobs many files/copy.leir",
    "usage_unknown_option": "check --frob files/copy.leir",
    "usage_check_no_file": "check",
    "usage_bad_target": "grammar --for everything",
    "run_softmax": "run ../../../examples/row_softmax.leir",
    "run_json": "run --json --seed 7 ../../../examples/row_softmax.leir",
    "run_elements": "run ../../../examples/matmul.leir --elements D[0,0,0] D[15,1023,767]",
    "run_budget": "run ../../../examples/matmul.leir",
    "run_trap": "run ../../../examples/broken/undefined.leir",
    "run_trap_json": "run --json ../../../examples/broken/undefined.leir",
    "run_element_beyond": "run ../../../examples/matmul.leir --elements D[0,1024,0]",
    "run_bad_element": "run ../../../examples/matmul.leir --elements D(0)",
    "run_no_inputs": "run ../../../examples/matmul.leir --inputs no_such.npz",
    "run_unknown_engine": "run ../../../examples/matmul.leir --engine magic",
    "run_unreadable": "run ../../../examples/broken/syntax.leir",
    "import_archive": "import ../../../steptp/import/golden/initial_state.pt2",
    "import_json": "import --json ../../../steptp/import/golden/initial_state.pt2",
    "import_unsupported": "import ../../../steptp/import/golden/unsupported.pt2",
    "import_unsupported_json": "import --json ../../../steptp/import/golden/unsupported.pt2",
    "import_dynamic": "import ../../../steptp/import/golden/dynamic.pt2",
    "import_random": "import ../../../steptp/import/golden/random.pt2",
    "import_not_an_archive": "import files/copy.leir",
    "import_missing": "import no_such.pt2",
    "import_missing_model": "import no_such.py",
    "import_no_python": "import files/model.py --python no-such-python",
    "import_bad_mode": "import files/model.py --mode test",
    "import_bad_timeout": "import files/model.py --timeout never",
    "explain_loop_split": "explain loop_split",
    "explain_strategy_json": "explain --json loop_unrolling",
    "explain_unknown_move": "explain tiles",
    "explain_unknown_strategy": "explain loop_spilt",
    "choices_split": "choices files/product.leir --strategy loop_split --extended",
    "choices_sites_json": "choices --json files/product.leir --strategy loop_split --strategy loop_reorder",
    "choices_limit_json": "choices --json files/product.leir --strategy loop_split --limit 3",
    "choices_sample_json": "choices --json files/product.leir --strategy loop_split --strategy loop_reorder --sample 4 --seed 5",
    "choices_refusals": "choices files/product.leir --strategy loop_parallelization --refusals",
    "choices_refusals_json": "choices --json files/product.leir --strategy loop_parallelization --refusals",
    "choices_jsonl": "choices --json files/middle.jsonl --strategy loop_split --limit 1",
    "choices_unknown_strategy": "choices files/product.leir --strategy loop_frobnicate",
    "choices_errors": "choices files/errors.leir --strategy loop_split",
    "choices_limit_and_sample": "choices files/product.leir --limit 1 --sample 1",
    "choices_no_signature": "choices files/bare.leir --strategy loop_split",
    "apply_split": """apply files/product.leir --strategy loop_split --choice '{"at":"0:loop[1]","inner":16,"kind":"inner"}'""",
    "apply_reasoning": """apply files/product.leir --strategy loop_split --reasoning --choice '{"at":"0:loop[1]","inner":16,"kind":"inner"}'""",
    "apply_reasoning_json": """apply --json files/product.leir --strategy loop_split --reasoning --seed 7 --choice '{"at":"0:loop[1]","inner":16,"kind":"inner"}'""",
    "apply_split_json": """apply --json files/product.leir --strategy loop_split --choice '{"at":"0:loop[1]","inner":16,"kind":"inner"}'""",
    "apply_refused": """apply files/product.leir --strategy loop_split --choice '{"at":"0:loop[1]","inner":65,"kind":"inner"}'""",
    "apply_refused_json": """apply --json files/product.leir --strategy loop_parallelization --choice '{"at":"0:loop[2]"}'""",
    "apply_stale_place": """apply files/product.leir --strategy loop_split --choice '{"at":"2:loop[1]","inner":2,"kind":"inner"}'""",
    "apply_missing_parameter": """apply files/product.leir --strategy loop_split --choice '{"at":"0:loop[1]"}'""",
    "apply_unknown_parameter": """apply files/product.leir --strategy loop_unrolling --choice '{"at":"0:loop[1]","by":4}'""",
    "apply_not_json": "apply files/product.leir --strategy loop_split --choice {at:0}",
    "apply_not_an_object": "apply files/product.leir --strategy loop_split --choice [1]",
    "apply_bad_address": """apply files/product.leir --strategy loop_split --choice '{"at":"here"}'""",
    "apply_unknown_strategy": "apply files/product.leir --strategy loop_spilt --choice {}",
    "apply_line": """apply files/product.leir --choice 'loop_split {"at":"0:loop[1]","inner":16,"kind":"inner"}'""",
    "apply_named_place": """apply files/product.leir --choice 'loop_split {"at":"D:loop[1]","inner":16,"kind":"inner"}'""",
    "apply_named_place_unknown": """apply files/product.leir --choice 'loop_split {"at":"Z:loop[1]","inner":16,"kind":"inner"}'""",
    "apply_move_compact": """apply files/chain.leir --profile compact --choice 'inline {"at":"1","form":"epilogue"}'""",
    "apply_name_alone": "apply files/product.leir --choice loop_split",
    "apply_no_choice": "apply files/product.leir --strategy loop_split",
    "apply_undo_alone": "apply files/product.leir --undo",
    "apply_line_json": """apply files/product.leir --choice '{"program":"Product","strategy":"loop_split","choice":{"at":"0:loop[1]","inner":16,"kind":"inner"},"extended":false}'""",
    "apply_line_both": """apply files/product.leir --strategy loop_split --choice 'loop_split {"at":"0:loop[1]","inner":16,"kind":"inner"}'""",
    "apply_line_other": """apply files/product.leir --strategy loop_reorder --choice 'loop_split {"at":"0:loop[1]","inner":16,"kind":"inner"}'""",
    "apply_line_move": """apply files/chain.leir --choice 'inline {"at":"1","form":"epilogue"}'""",
    "apply_line_unknown": """apply files/chain.leir --choice 'inlnie {"at":"1"}'""",
    "apply_line_not_json": """apply files/chain.leir --choice 'inline {"at":1'""",
    "choices_refusals_depth": "choices files/mirrored.leir --strategy operator_fusion --extended --refusals",
    "choices_refusals_once": "choices files/mirrored.leir --strategy loop_fusion --refusals",
    "replay_judge": "replay files/product.leir --recipe files/recipe.json --judge --seed 1",
    "replay_judge_json": "replay --json files/product.leir --recipe files/recipe.json --judge --seed 1",
    "replay_judge_plan": "replay files/chain.leir --plan files/plan.json --judge --seed 1 --require-safe",
    "replay_judge_plan_json": "replay --json files/chain.leir --plan files/plan.json --judge --seed 1",
    "replay_certificate_alone": "replay files/product.leir --recipe files/recipe.json --certificate x.json",
    "replay_certificate_many": "replay files/tour.jsonl --recipe files/recipe.json --judge --certificate x.json",
    "replay_certificate_unwritten": "replay files/product.leir --recipe files/recipe.json --judge --seed 1 --certificate nowhere/x.json",
    "replay_judge_unsafe": "replay files/spread.leir --recipe files/recipe_unsafe.json --judge --seed 1 --require-safe",
    "replay_judge_stale": "replay files/product.leir --recipe files/recipe_stale.json --judge",
    "replay_judge_unusable": "replay files/beyond_compact.leir --recipe files/recipe_split.json --judge --seed 1",
    "replay_judge_misuse": "replay files/product.leir --recipe files/recipe.json --require-safe",
    "replay_recipe": "replay files/product.leir --recipe files/recipe.json",
    "replay_json": "replay --json files/product.leir --recipe files/recipe.json",
    "replay_stale": "replay files/product.leir --recipe files/recipe_stale.json",
    "replay_stale_json": "replay --json files/product.leir --recipe files/recipe_stale.json",
    "replay_unknown_strategy": "replay files/product.leir --recipe files/recipe_unknown.json",
    "replay_not_json": "replay files/product.leir --recipe files/not.json",
    "replay_no_recipe": "replay files/product.leir --recipe files/no_such.json",
    "explain_move": "explain inline",
    "explain_move_json": "explain --json inline",
    "choices_moves": "choices files/chain.leir --moves --move inline --refusals",
    "choices_moves_json": "choices --json files/chain.leir --move inline",
    "choices_moves_sample": "choices --json files/chain.leir --move inline --sample 2 --seed 3",
    "choices_unknown_move": "choices files/chain.leir --move inlnie",
    "choices_moves_and_strategy": "choices files/chain.leir --moves --strategy loop_split",
    "apply_move": """apply files/chain.leir --move inline --choice '{"at":"1","form":"epilogue"}'""",
    "apply_move_json": """apply --json files/chain.leir --move inline --choice '{"at":"1","form":"epilogue"}'""",
    "apply_move_refused": """apply files/chain.leir --move step --choice '{"at":"0:loop[1]","strategy":"loop_split","inner":9,"kind":"inner"}'""",
    "apply_move_refused_json": """apply --json files/chain.leir --move inline --choice '{"at":"0","form":"producer"}'""",
    "apply_move_missing": """apply files/chain.leir --move inline --choice '{"at":"0"}'""",
    "apply_neither": """apply files/chain.leir --choice '{"at":"0"}'""",
    "replay_plan": "replay files/chain.leir --plan files/plan.json",
    "replay_plan_json": "replay --json files/chain.leir --plan files/plan.json",
    "replay_plan_stale": "replay files/chain.leir --plan files/plan_stale.json",
    "replay_plan_other": "replay files/product.leir --plan files/plan.json",
    "replay_plan_version": "replay files/chain.leir --plan files/plan_version.json",
    "replay_plan_damaged": "replay files/chain.leir --plan files/plan_damaged.json",
    "replay_neither": "replay files/chain.leir",
    "fmt_paper": "fmt files/copy.leir",
    "fmt_compact": "fmt --profile compact files/copy.leir",
    "fmt_from_compact": "fmt files/compact.leir",
    "fmt_compact_again": "fmt --profile compact files/compact.leir",
    "fmt_bare": "fmt files/bare.leir",
    "fmt_json": "fmt --json files/copy.leir",
    "fmt_json_compact": "fmt --json --profile compact files/copy.leir",
    "fmt_stdin": "fmt - < files/copy.leir",
    "fmt_stdin_jsonl": "fmt - < files/good.jsonl",
    "fmt_stdin_empty": "fmt - < files/empty.leir",
    "fmt_record": "fmt files/record.json",
    "fmt_jsonl": "fmt files/good.jsonl",
    "fmt_jsonl_json": "fmt --json --profile compact files/good.jsonl",
    "fmt_jsonl_bad_middle": "fmt files/middle.jsonl",
    "fmt_jsonl_bad_middle_json": "fmt --json files/middle.jsonl",
    "fmt_broken": "fmt files/broken.leir",
    "fmt_broken_json": "fmt --json files/broken.leir",
    "fmt_long_line": "fmt files/long_line.leir",
    "fmt_warning": "fmt files/warnings.leir",
    "fmt_missing_file": "fmt files/no_such_file.leir",
    "fmt_empty": "fmt files/empty.leir",
    "fmt_blank": "fmt files/blank.leir",
    "fmt_empty_jsonl": "fmt files/empty.jsonl",
    "fmt_directory": "fmt files",
    "fmt_binary": "fmt files/binary.leir",
    "fmt_not_json": "fmt files/not.json",
    "check_ok": "check files/ok.leir",
    "check_ok_json": "check --json files/ok.leir",
    "check_errors": "check files/errors.leir",
    "check_errors_json": "check --json files/errors.leir",
    "check_hint_compact": "check files/beyond_compact.leir",
    "check_lost_scope": "check files/lost_scope.leir",
    "check_lost_scope_compact": "check files/lost_scope_compact.leir",
    "check_undefined": "check files/undefined.leir",
    "check_unknown": "check files/unknown.leir",
    "check_unknown_json": "check --json files/unknown.leir",
    "check_assumes": "check files/assumes.leir",
    "check_assumes_json": "check --json files/assumes.leir",
    "check_warnings": "check files/warnings.leir",
    "check_warnings_json": "check --json files/warnings.leir",
    "check_extended_json": "check --json files/extended.leir",
    "check_no_signature": "check files/bare.leir",
    "check_broken": "check files/broken.leir",
    "check_broken_json": "check --json files/broken.leir",
    "check_stdin": "check - < files/ok.leir",
    "check_jsonl": "check files/verdicts.jsonl",
    "check_jsonl_json": "check --json files/verdicts.jsonl",
    "check_jsonl_unknown": "check files/unknown.jsonl",
    "check_jsonl_bad_middle": "check files/middle.jsonl",
    "check_race": "check files/race.leir",
    "check_race_json": "check --json files/race.leir",
    "check_launch": "check files/launch.leir",
    "check_launch_json": "check --json files/launch.leir",
    "check_device": "check --device nvidia-a100 files/launch.leir",
    "check_device_cpu": "check --device cpu files/launch.leir",
    "check_device_plain": "check --device plain-cpu files/launch.leir",
    "check_device_here": "check --device cuda files/launch.leir",
    "check_device_unknown": "check --device tpu files/launch.leir",
    "check_missing_file": "check files/no_such_file.leir",
    "check_directory": "check files",
    "explain_unknown_id": "check --explain no-such-id",
    "verify_proved": "verify --seed 1 ../../../examples/matmul.leir ../../../examples/tiled_matmul.leir",
    "verify_proved_json": "verify --seed 1 --json ../../../examples/matmul.leir ../../../examples/tiled_matmul.leir",
    "verify_proved_not_safe": "verify --seed 1 ../../../examples/row_softmax.leir ../../../examples/shiftless_softmax.leir",
    "verify_exact": "verify --seed 1 ../../../examples/tanh.leir ../../../examples/tanh_by_exp.leir",
    "verify_exact_json": "verify --json --seed 2 ../../../examples/tanh.leir ../../../examples/tanh_by_exp.leir",
    "verify_numeric": "verify --seed 1 files/tenth.leir files/tenth_in_f32.leir",
    "verify_numeric_accepted": "verify --seed 1 --accept numeric files/tenth.leir files/tenth_in_f32.leir",
    "verify_numeric_not_known_safe": "verify --seed 1 --accept numeric --require-safe files/tenth.leir files/tenth_in_f32.leir",
    "verify_tiny_difference": "verify --seed 1 files/identity.leir files/identity_nearly.leir",
    "verify_accept_unknown": "verify --accept undecided files/tenth.leir files/tenth_in_f32.leir",
    "verify_same": "verify --seed 1 files/sum.leir files/sum_renamed.leir",
    "verify_wrong": "verify --seed 1 ../../../examples/row_softmax.leir ../../../examples/broken/short_sum.leir",
    "verify_wrong_json": "verify --seed 1 --json ../../../examples/row_softmax.leir ../../../examples/broken/short_sum.leir",
    "verify_precision": "verify --seed 1 files/sum.leir files/sum_half.leir",
    "verify_unreadable": "verify --seed 1 files/sum.leir files/broken.leir",
    "verify_unreadable_json": "verify --seed 1 --json files/sum.leir files/broken.leir",
    "verify_ill_formed": "verify --seed 1 files/sum.leir files/sum_out_of_range.leir",
    "verify_changed_signature": "verify --seed 1 files/sum.leir files/sum_signature.leir",
    "verify_nan": "verify --seed 1 files/identity.leir files/root_squared.leir",
    "verify_possible_nan": "verify --seed 1 files/ones.leir files/ones_root.leir",
    "verify_one_pass": "verify --seed 1 files/variance.leir files/variance_one_pass.leir",
    "verify_ill_formed_before_of_other_signature": "verify --seed 1 files/errors.leir files/sum.leir",
    "verify_unusable_before": "verify --seed 1 files/broken.leir files/sum.leir",
    "verify_ill_formed_before": "verify --seed 1 --json files/errors.leir files/errors.leir",
    "verify_no_signature": "verify --seed 1 files/sum_renamed.leir files/sum.leir",
    "verify_undecided": "verify --seed 1 --budget 1 ../../../examples/row_softmax.leir ../../../examples/broken/short_sum.leir",
    "verify_missing_file": "verify --seed 1 files/sum.leir files/no_such_file.leir",
    "verify_pairs": "verify --seed 1 --pairs files/pairs.jsonl",
    "verify_pairs_json": "verify --seed 1 --pairs files/pairs.jsonl --json",
    "verify_pairs_judged": "verify --seed 1 --pairs files/pairs_judged.jsonl --json",
    "verify_pairs_stdin": "verify --seed 1 --pairs - < files/pairs_judged.jsonl",
    "verify_replay": "verify --replay files/counterexample.json",
    "verify_replay_json": "verify --replay files/counterexample.json --json",
    "verify_replay_changed": "verify --replay files/counterexample_changed.json",
    "verify_replay_certificate": "verify --replay files/certificate.json",
    "verify_replay_not_one": "verify --replay files/pairs_judged.jsonl",
    "verify_usage_nothing": "verify",
    "verify_usage_one_file": "verify files/sum.leir",
    "verify_usage_both": "verify files/sum.leir files/sum.leir --pairs files/pairs.jsonl",
    "verify_usage_certificate": "verify --pairs files/pairs.jsonl --certificate kept.json",
    "verify_usage_timeout": "verify files/sum.leir files/sum.leir --timeout -1",
    "verify_timeout_unused": "verify --seed 1 --timeout 1000 ../../../examples/matmul.leir ../../../examples/tiled_matmul.leir",
    "verify_unwritable_certificate": "verify --seed 1 files/sum.leir files/sum.leir --certificate /no/such/folder/kept.json",
    "verify_usage_counterexample": "verify --pairs files/pairs.jsonl --counterexample kept.json",
    "verify_unwritable_counterexample": "verify --seed 1 files/sum.leir files/sum_short.leir --counterexample /no/such/folder/kept.json",
    "help_evaluate": "evaluate --help",
    "evaluate_answers": "evaluate --prompts files/prompts.jsonl --answers files/answers.jsonl --device none",
    "evaluate_answers_json": "evaluate --prompts files/prompts.jsonl --answers files/answers.jsonl --device none --json",
    "evaluate_write_prompts": "evaluate --prompts files/good.jsonl --write-prompts - --profile compact --programs 2 --limit 1",
    "evaluate_bad_prompts": "evaluate --prompts files/middle.jsonl --answers files/answers.jsonl",
    "evaluate_bad_answers": "evaluate --prompts files/prompts.jsonl --answers files/good.jsonl",
    "evaluate_unusable_case": "evaluate --prompts files/errors.leir --answers files/answer.jsonl --device none",
    "evaluate_no_prompts": "evaluate --prompts files/no_such.jsonl --answers files/answers.jsonl",
    "evaluate_no_answers": "evaluate --prompts files/prompts.jsonl --answers files/no_such.jsonl",
    "evaluate_no_device": "evaluate --prompts files/prompts.jsonl --answers files/answers.jsonl --device cuda",
    "evaluate_usage_nothing": "evaluate --prompts files/prompts.jsonl",
    "evaluate_usage_both": "evaluate --prompts files/prompts.jsonl --answers files/answers.jsonl --endpoint http://127.0.0.1:1/v1",
    "evaluate_usage_no_log": "evaluate --prompts files/prompts.jsonl --endpoint http://127.0.0.1:1/v1 --model m",
    "evaluate_usage_report": "evaluate --prompts files/prompts.jsonl --answers files/answers.jsonl --report report.pdf",
    "tokens_one": "tokens files/ok.leir",
    "tokens_json": "tokens --json files/ok.leir",
    "tokens_jsonl": "tokens files/good.jsonl",
    "tokens_raw": "tokens --raw files/ok.leir",
    "tokens_lowered": "tokens --lowered files/staged.leir",
    "tokens_lowered_json": "tokens --lowered --json files/extended.leir",
    "tokens_broken": "tokens files/broken.leir",
    "tokens_missing_tokenizer": "tokens --tokenizer files/no_such_file.json files/ok.leir",
} | {f"explain_{id.replace('-', '_')}": f"check --explain {id}" for id in IDS.split()}


class Runner:
    def __init__(self, steptp: str) -> None:
        self.steptp = steptp
        # No GPU, wherever this runs, and nothing in the user's cache.
        self.environment = {**os.environ, "LC_ALL": "C", "STEPTP_CUDA_DRIVER": "/no/such/libcuda.so", "STEPTP_CACHE": "off",
                            "STEPTP_TLM_WEIGHTS": "/no/such/folder"}

    def run(self, arguments: list[str], **options) -> subprocess.CompletedProcess:
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.run([self.steptp, *arguments], cwd=GOLDEN, env=self.environment, timeout=60, **options)

    def answer(self, command: str) -> str:
        arguments, _, source = command.partition(" < ")
        with open(GOLDEN / source if source else os.devnull, "rb") as stdin:
            done = self.run(shlex.split(arguments), stdin=stdin)
        out, err = (text.decode("utf-8", "backslashreplace") for text in (done.stdout, done.stderr))
        return f"$ steptp {command}\n--- standard output\n{out}--- standard error\n{err}--- exit status {done.returncode}\n"


def differences(name: str, wanted: str, found: str) -> list[str]:
    lines = difflib.unified_diff(wanted.splitlines(True), found.splitlines(True), f"golden {name}", "found")
    return list(lines) if wanted != found else []


def check_goldens(runner: Runner, update: bool) -> list[str]:
    problems = []
    for name, command in CASES.items():
        path = GOLDEN / f"{name}.txt"
        found = runner.answer(command)
        if update:
            path.write_text(found)
        elif not path.is_file():
            problems.append(f"{path.name} is missing; --update writes it\n")
        else:
            problems += differences(name, path.read_text(), found)
    for path in sorted(GOLDEN.glob("*.txt")):
        if path.stem not in CASES:
            problems.append(f"{path.name} belongs to no case\n")
    return problems


def check_machine_failures(runner: Runner) -> list[str]:
    """A full disk is exit status 4 with a message, a closed pipe 4 without one."""
    problems = []
    for command in ("fmt files/copy.leir", "check files/ok.leir", "check --explain syntax", "grammar", "tokens files/ok.leir", "fmt --json files/good.jsonl", "verify files/sum.leir files/sum.leir", "verify --pairs files/pairs.jsonl"):
        with open("/dev/full", "wb") as full:
            done = runner.run(shlex.split(command), stdout=full)
        if done.returncode != 4 or b"cannot write to standard output" not in done.stderr:
            problems.append(f"{command} > /dev/full: status {done.returncode}, {done.stderr!r}\n")
        reader, writer = os.pipe()
        os.close(reader)
        done = runner.run(shlex.split(command), stdout=writer)
        os.close(writer)
        if done.returncode != 4 or done.stderr:
            problems.append(f"{command} | (nobody): status {done.returncode}, {done.stderr!r}\n")
    return problems


def check_jobs(runner: Runner) -> list[str]:
    """The number of threads shows in no byte."""
    problems = []
    for command in ("fmt files/middle.jsonl", "check --json files/verdicts.jsonl", "tokens files/good.jsonl", "verify --seed 1 --json --pairs files/pairs.jsonl"):
        with_jobs = [runner.run([*shlex.split(command), "--jobs", jobs]) for jobs in ("1", "2", "0")]
        for done in with_jobs[1:]:
            if (done.returncode, done.stdout, done.stderr) != (with_jobs[0].returncode, with_jobs[0].stdout, with_jobs[0].stderr):
                problems.append(f"{command}: the answer depends on --jobs\n")
    return problems


def check_many_records(runner: Runner) -> list[str]:
    """More records than a batch holds: one answer each, in input order."""
    records = b"".join(b'{"program":"N%d","leir":"tx%d D(tx)=1;"}\n' % (i, i + 1) for i in range(10_000))
    wanted = b"".join(b"tx%d D(tx)=1;\n" % (i + 1) for i in range(10_000))
    done = runner.run(["fmt", "--profile", "compact", "--jobs", "2", "-"], stdin=None, input=records)
    return [] if (done.returncode, done.stdout, done.stderr) == (0, wanted, b"") else ["10000 records: wrong answers\n"]


def check_grammar(runner: Runner) -> list[str]:
    """Grammars are long and tested elsewhere: here only that each is printed, and differs from the others."""
    seen = {}
    for arguments in ([p, t, e] for p in ("paper", "compact") for t in ("program", "answer", "answers") for e in ([], ["--published"])):
        command = ["grammar", "--profile", arguments[0], "--for", arguments[1], *arguments[2]]
        done = runner.run(command)
        if done.returncode != 0 or done.stderr or not done.stdout.startswith(b"root ::="):
            return [f"{command}: status {done.returncode}, begins {done.stdout[:40]!r}\n"]
        seen[done.stdout] = command
    return [] if len(seen) == 12 else ["two grammars are the same\n"]


def check_certificates(runner: Runner) -> list[str]:
    """Certificates of every kind are confirmed by the program beside steptp; what was touched is refused."""
    replay = str(Path(runner.steptp).with_name("steptp-replay"))
    pairs = {
        "proved": ("examples/matmul.leir", "examples/tiled_matmul.leir", "C[", "A["),
        "exact": ("examples/tanh.leir", "examples/tanh_by_exp.leir", '"before":"0.', '"before":"1.'),
        "differs": ("examples/row_softmax.leir", "examples/broken/short_sum.leir", '"counterexample"', '"kept"'),
    }
    root = GOLDEN.parent.parent.parent
    problems = []

    def replayed(path: Path) -> int:
        return subprocess.run([replay, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60).returncode

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        for verdict, (before, after, piece, other) in pairs.items():
            runner.run(["verify", str(root / before), str(root / after), "--certificate", str(path)])
            text = path.read_text()
            statuses = [replayed(path)]
            for touched in (text.replace(piece, other, 1), text.replace(verdict, "undecided", 1), text[: len(text) // 2]):
                assert touched != text, (verdict, piece)
                path.write_text(touched)
                statuses.append(replayed(path))
            # A field that does not exist makes a file that cannot be read; so does the proof of an undecided pair.
            if statuses != [0, 2 if verdict == "differs" else 1, 2, 2]:
                problems.append(f"certificate of {verdict}: replayed with {statuses}\n")
        if replayed(Path(folder) / "none.json") != 2:
            problems.append("a certificate that is not there: not status 2\n")
    return problems


def main(arguments: list[str]) -> int:
    update = "--update" in arguments
    programs = [argument for argument in arguments if not argument.startswith("--")]
    if len(programs) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    runner = Runner(str(Path(programs[0]).resolve()))
    problems = check_goldens(runner, update)
    assert differences("self", "a\n", "b\n") and not differences("self", "a\n", "a\n")  # the test can fail
    for check in (check_machine_failures, check_jobs, check_many_records, check_grammar, check_certificates):
        problems += check(runner)
    sys.stdout.writelines(problems)
    print(f"{len(CASES)} cases, {'updated' if update else 'all agree' if not problems else 'with differences'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
