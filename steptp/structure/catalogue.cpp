// What every diagnostic means, in one table.
// More than 400 lines, because each id has its row here and nowhere else.
#include "steptp/structure/catalogue.h"

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr Explanation kCatalogue[] = {
    {"usage", Severity::error, "a verb was called with words it does not understand",
     "steptp VERB --help lists what it takes.", "steptp run program.leir --elements D0"},
    {"write", Severity::error, "something could not be written",
     "The disk is full, or the place is not writable. Files are written whole or not at all.",
     "--output /no/such/folder/out.npz"},
    {"cannot-lower", Severity::error, "a back end cannot hold the program exactly",
     "The message names the limit: threads or shared memory beyond the device, sizes beyond 64 bits, threads that "
     "accumulate into one element beside other equations. Nothing is lowered approximately.",
     "B^{2048}_{tx=0} lowered to cuda, which launches at most 1024 threads along tx"},
    {"no-engine", Severity::error, "the engine that was asked for is not there",
     "The LLVM engine is a shared object of its own, which is only built where LLVM is installed. The message says "
     "where "
     "it was looked for.",
     "steptp run program.leir --engine llvm, without libsteptp_llvm.so beside steptp"},
    {"engine", Severity::error, "an engine does not take what was lowered for it",
     "That is a bug of the back end; the message carries what the engine says.", "LLVM refuses the program: ..."},
    {"no-device", Severity::error, "there is no GPU to run on",
     "CUDA needs an NVIDIA GPU of compute capability 7.0 or newer and its driver, libcuda.so.1, which is opened when "
     "it "
     "is needed. The message carries what the driver says.",
     "steptp run program.leir --engine cuda, on a machine without a GPU"},
    {"no-nvrtc", Severity::error, "there is no compiler for CUDA",
     "NVRTC is looked for among the system's libraries, below CUDA_HOME, and in the packages of python3; f16 and bf16 "
     "need CUDA's headers too. The message lists the places.",
     "steptp time program.leir --device cuda, without nvidia-cuda-nvrtc"},
    {"nvrtc", Severity::error, "NVRTC does not take what was lowered for it",
     "That is a bug of the back end; the message carries the compiler's log.", "NVRTC refuses the program: ..."},
    {"device", Severity::error, "a call of the CUDA driver failed",
     "The message has the call and the driver's error. After some of them nothing else can run in that process, which "
     "is then replaced.",
     "cannot launch kernel_0: CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
    {"device-limit", Severity::error, "the program asks for more than the device has",
     "Found before anything is launched, with the numbers: threads with the registers that they take, shared memory, "
     "or "
     "memory for the data.",
     "the program needs 200000000000 bytes of memory, but NVIDIA H200 has 149000000000 free"},
    {"estimate", Severity::error, "nothing can be said of the time that a program takes",
     "Expected times come from the kernels of the program as back ends lower them. The message says what cannot be "
     "lowered, or what has no estimate; the program itself may be right.",
     "a program that no back end can hold exactly"},
    {"sentence", Severity::error, "a program has no plan, or no sentence of a plan",
     "Sentences have at most 512 words, and words for programs of ordinary size (docs/cursor.md). The message says "
     "what "
     "is missing.",
     "a sum of 400 terms: this program alone needs more than 512 words"},
    {"weights", Severity::error, "a file of weights cannot be used",
     "It is no such file, is damaged, or was made for other words; the message says which, and of which part.",
     "steptp tlm generate program.leir --weights notes.txt"},
    {"partition", Severity::error, "a network cannot be cut into parts",
     "The message names the part that does not stand by itself; steptp optimize takes the network as a whole.",
     "a network without an operator"},
    {"python", Severity::error, "a Python that this verb needs could not be started",
     "Training a language model and KernelBench need Python with PyTorch. The variable STEPTP_PYTHON names the one "
     "that "
     "is started, otherwise it is python3.",
     "STEPTP_PYTHON=/nowhere/python steptp kernelbench problems"},
    {"wrong-result", Severity::error, "a compiled program gave a value that it must not give",
     "Sampled elements are compared with certified values after every repetition; the message has both values and what "
     "was allowed. Such a program has no times.",
     "element 5 of D is not what it has to be: 0.5, expected 0.25 within 1e-07"},
    {"root-mismatch", Severity::error, "a program has other known variables than the root it is compared with",
     "Programs that are measured against a root (--root) get its inputs, so names, roles, dtypes and shapes of their "
     "known variables are those of the root, in its order.",
     "steptp time fast.leir --root other.leir"},
    {"inputs", Severity::error, "the inputs of a program could not be made",
     "They are drawn from a seed; the message says what stood in the way, such as memory.",
     "a program with an input of 10^12 elements"},
    {"worker-crashed", Severity::error, "the process that ran the program was ended by a signal",
     "The message has the signal and what was written last on standard error. Other programs are not affected.",
     "ended by signal 11 (Segmentation fault)"},
    {"worker-exited", Severity::error, "the process that ran the program ended without an answer",
     "The message has its exit status and what was written last on standard error.", "ended with status 1"},
    {"worker-timed-out", Severity::error, "compiling and running took longer than --timeout allows",
     "The process was ended; give it more time, or a smaller program.", "no answer within 600 seconds"},
    {"worker-failed", Severity::error, "the process that ran the program could not go on",
     "It ran out of the memory that --memory allows, or a GPU was left in no state to go on; the message says which.",
     "out of memory: more than 1024 MiB would be needed"},
    {"worker-garbled", Severity::error, "the process that ran the program sent something that is not an answer",
     "The program has written where it must not. Nothing of it was taken for an answer.",
     "what it sent is not an answer"},
    {"worker-not-started", Severity::error, "no process to run the program in",
     "The machine has none to give, or steptp cannot start itself again.", "cannot start a worker: no pipe"},
    {"rival", Severity::error, "what programs are to be compared with gave no times",
     "PyTorch is measured with your own Python; the message carries what went wrong there.",
     "steptp time program.leir --torch model.py, without PyTorch"},
    {"build", Severity::error, "a model's answers cannot be built on this machine",
     "steptp evaluate builds and runs answers with a GPU and NVRTC, otherwise with the LLVM engine; --device none "
     "leaves "
     "that out.",
     "answers cannot be built here: no LLVM engine"},
    {"endpoint", Severity::error, "the server that was to be asked did not answer as it should",
     "The message has what it said. Answers that were received are in the log, and the same command goes on from them.",
     "steptp evaluate --endpoint http://localhost:1/v1, where nothing listens"},
    {"prompts", Severity::error, "questions cannot be used",
     "A question is a row of a dataset with its program and signature, or a plain program; the message names the row.",
     "questions.jsonl: line 3 has no program"},
    {"answers", Severity::error, "a file of answers cannot be used",
     "Each line is one JSON object with the id of its question and the answer as text; the message names the line.",
     "answers.jsonl: line 3 has no id"},
    {"log", Severity::error, "the log of an evaluation cannot be used",
     "--log names a file that is something else, was written for other questions or another model, or is in use.",
     "steptp evaluate --log notes.txt"},
    {"journal", Severity::error, "the folder or journal of a search cannot be used",
     "It is no folder of a search, was written by another search or is being written, or is damaged; the message says "
     "which, and where.",
     "steptp search show notes"},
    {"state", Severity::error, "a file of `apply --state` cannot be used",
     "It holds no state of apply, belongs to another program, or has no step that could be taken back.",
     "steptp apply --state notes.txt --undo"},
    {"recording", Severity::error, "a file of recorded times cannot be used",
     "Each line is one JSON object with the key of a program and its seconds: the lines of a journal are such.",
     "steptp search program.leir --device recorded:notes.txt"},
    {"search", Severity::error, "a search ended early",
     "Whoever proposes, the device or the journal failed; the message says which, and steptp search resume goes on.",
     "steptp search program.leir --device cuda on a machine without a GPU"},
    {"configuration", Severity::error, "the settings of a dataset cannot be used",
     "A setting is unknown or out of range, or the folder holds a dataset that was begun with others.",
     "steptp dataset build --out data --config settings.json, where settings.json says \"programs\": -1"},
    {"dataset", Severity::error, "a folder holds no dataset that can be used",
     "A file is missing or damaged, or was written by another version. The message names the file and says what to do.",
     "steptp dataset export empty_folder"},
    {"leak", Severity::error, "a program of a test split, or its structure, is in training too",
     "The splits of a dataset have nothing in common that would give answers away. The message has the first place, "
     "and "
     "build.log names all of them.",
     "steptp dataset build --import softmax.pt2, where softmax is a test type"},
    {"compile", Severity::error, "a row of a dataset does not compile",
     "Rows of the sample are compiled before they are written. The message has the compiler's error; the row is a bug "
     "of a back end.",
     "the row of an entry does not compile: ..."},
    {"parquet", Severity::error, "a Parquet file cannot be read",
     "It is damaged, or uses parts of the format that datasets of ours do not use.", "train-00000.parquet cut in half"},
    {"zstd", Severity::error, "compressed data is damaged", "It is cut off, or not zstd.", "half a file of entries"},
    {"process", Severity::error, "another program could not be run, or ended early",
     "The message has the name of the program and the system's reason.", "--python python9, which does not exist"},
    {"worker", Severity::error, "a worker process could not be started, or ended early",
     "The machine has no process or no memory to give. A build goes on from there when the same command is given "
     "again.",
     "cannot start a worker: Resource temporarily unavailable"},
    {"npz", Severity::error, "an .npz file cannot be used", "It is damaged, or not a zip archive of .npy files.",
     "--inputs notes.txt"},
    {"npy", Severity::error, "an array in an .npz file cannot be used",
     "Arrays are little endian numbers or bools with the dtype and shape of the signature; bf16 is given as f32 "
     "values.",
     "an object array"},
    {"capture", Severity::error, "a PyTorch file could not be captured",
     "It is run with your own Python and PyTorch, and that process ended without saying why; the message has what it "
     "wrote last.",
     "capturing model.py ended with status 137"},
    {"capture-no-torch", Severity::error, "the Python that was to capture a file has no PyTorch",
     "--python names another Python; its PyTorch needs torch.export.",
     "steptp import model.py --python /usr/bin/python3"},
    {"capture-file", Severity::error, "a PyTorch file does not define what is captured",
     "It defines Model, get_inputs() and, where Model takes arguments, get_init_inputs(). The message says what is "
     "missing.",
     "steptp import model.py, where model.py has no class Model"},
    {"capture-raises", Severity::error, "a PyTorch file raised an exception while it was run",
     "The message has the exception and the line of your file.", "steptp import model.py, where get_inputs raises"},
    {"capture-control-flow", Severity::error, "what a module computes depends on the values of its inputs",
     "Decide with torch.where, or with Python values that are known before forward runs.",
     "if x.sum() > 0: in forward"},
    {"capture-export", Severity::error, "torch.export cannot follow a module",
     "The message has what PyTorch says, and the line of your file where it is known.", "a forward that calls numpy"},
    {"capture-time", Severity::error, "capturing a PyTorch file took too long",
     "It was stopped after the limit of --timeout seconds.", "steptp import endless.py --timeout 5"},
    {"zip", Severity::error, "a zip archive cannot be read",
     "It is damaged, encrypted, or compressed in a way that is not supported.", "half of a .pt2 file"},
    {"pt2", Severity::error, "an archive of torch.export cannot be read",
     "It has no exported program, was written by a version that is not supported, or is damaged.",
     "steptp import weights.pt2, which torch.save wrote"},
    {"pt2-control-flow", Severity::error, "a module has control flow that depends on the values of its inputs",
     "Decide with torch.where, or with Python values that are known before forward runs.", "torch.cond in a module"},
    {"pt2-dtype", Severity::error, "a tensor has a dtype or a layout that LEIR does not have",
     "Complex numbers, float8, uint16 and sparse tensors are not supported; the hint lists the dtypes.",
     "a complex64 input"},
    {"pt2-dynamic", Severity::error, "a size is not fixed",
     "Shapes in LEIR are numbers. Export the module without dynamic_shapes.", "a batch of s0 rows"},
    {"pt2-in-place", Severity::error, "an operator writes to a tensor in a way that is not supported",
     "Operators that write in place become ones that do not, where every other view of the tensor can be followed.",
     "x.expand(4, 4).add_(1)"},
    {"pt2-random", Severity::error, "an operator draws random numbers",
     "A program is a function of its inputs. Give the numbers as an input, or keep them in a buffer.",
     "torch.rand in a module"},
    {"pt2-weights", Severity::error, "the values of a parameter cannot be read from the archive",
     "They are missing, or stored as a pickle, which is not read because it may run code.",
     "an archive without its data folder"},
    {"graph-operator", Severity::error, "an operator, or a use of one, is not supported",
     "The message names the operator, the place in your module, and every other operator that is missing.",
     "torch.atan in a module"},
    {"zoo-type", Severity::error, "there is no such program type",
     "steptp zoo list names them all; the message has the nearest one.", "steptp zoo show Sofmax"},
    {"zoo-arguments", Severity::error, "arguments that a program type does not take",
     "steptp zoo list shows the arguments of each type. Values outside the published ranges are taken as long as the "
     "operators allow them.",
     "steptp zoo show softmax --arg dim=0"},
    {"zoo-argument", Severity::error, "an argument that a program type does not have, or a number it cannot be",
     "steptp zoo list shows the arguments of each type; the message names those of this one.",
     "steptp zoo show softmax --arg rows=3"},
    {"gzip", Severity::error, "compressed data is damaged", "It is cut off, or not gzip.",
     "--tokenizer half_a_file.json.gz"},
    {"utf8", Severity::error, "a text is not UTF-8", "The message gives the first byte that is not.",
     "steptp tokens --raw picture.png"},
    {"tokenizer", Severity::error, "a tokenizer file cannot be used",
     "It is not a tokenizer.json of a byte-level BPE model with a pattern that is supported. Refusing is the honest "
     "answer: "
     "another pattern would give other tokens.",
     "--tokenizer config.json"},
    {"file", Severity::error, "a file cannot be opened or read",
     "The message gives the system's reason. `-` stands for standard input.", "steptp check no_such_file.leir"},
    {"json", Severity::error, "the text is not JSON",
     "A record begins with '{' and is one JSON object; in a .jsonl file there is one per line. Keys occur once.",
     R"({"leir":"...",})"},
    {"record", Severity::error, "a JSON record lacks a key, or a key has the wrong type",
     "A record has \"leir\" (a string), \"signature\" (an array of objects with name, role, dtype, shape) and "
     "optionally "
     "\"program\".",
     R"({"leir":5})"},
    {"header", Severity::error, "a signature line cannot be read",
     "Lines before the program begin with @: @program NAME, or @input, @constant, @param, @output with a name, a "
     "dtype, a "
     "shape and optionally a domain (any, positive, nonzero, [lo,hi)).",
     "@input A float[16]"},
    {"signature", Severity::error, "the signature contradicts itself",
     "Each name occurs once, and there is at least one output.", "@input A f32[4] twice"},
    {"no-signature", Severity::error, "the program has no signature",
     "Which tensors are given and which are results decides whether a program is right, so check and run need the "
     "signature: header lines in a .leir file, \"signature\" in a JSON record.",
     "a bare text without @input and @output"},
    {"syntax", Severity::error, "the text does not follow the grammar",
     "The message says what was found and what was expected. The reader goes on behind the next ';', so one run "
     "reports "
     "several errors.",
     "B^{4}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx,};];"},
    {"reserved", Severity::error, "a name or letter that is reserved",
     "Indices use the letters a c d f g h i j k l m n o p q r s u w and are not called like a function; bound indices "
     "begin with tx ty tz bx by bz; tensors begin with a capital other than L P V U B T. The loop kind T, the prefix "
     "wx "
     "and the scope f are kept for later.",
     "L^{4}_{e=0}[...];"},
    {"number", Severity::error, "a number is out of range",
     "Integers fit in 64 bits, decimal numbers in f64; infinity is written inf.", "A^{f32,g}*1e999"},
    {"subscript", Severity::error, "a subscript is too large or divides by zero",
     "Subscripts are exact 64-bit integers: sums of products of indices, // and %, indirect reads.",
     "A^{f32,g}_{a//0}"},
    {"too-deep", Severity::error, "nesting beyond the limit",
     "Brackets, nests and indirect subscripts may nest 250 deep, and 1000 loops may surround an equation.",
     "((((...))))"},
    {"nested-by-missing-semicolon", Severity::warning, "a nest without ';' before it goes into the body just closed",
     "`Louter[e1;]Linner[e2;];` means `Louter[e1;Linner[e2;];];`. Published programs use this form; write the nest "
     "inside the brackets.",
     "L^{4}_{a=0}[D^{f32,g}_{a}=0;]L^{4}_{c=0}[...];"},

    {"unbound-index", Severity::error, "an index that no enclosing loop binds",
     "Every index in an equation, a subscript or a guard is the index of a loop around it.",
     "L^{4}_{a=0}[D^{f32,g}_{c}=0;];"},
    {"duplicate-index", Severity::error, "an index is bound again inside its own loop",
     "Nested loops have different indices; sibling nests may reuse one.", "L^{4}_{a=0}L^{4}_{a=0}[...];"},
    {"axis-twice", Severity::error, "one hardware axis is bound twice in a nest",
     "tx and txa are one axis. A nest binds each axis at most once; siblings share it.",
     "B^{4}_{tx=0}B^{4}_{txa=0}[...];"},
    {"guard", Severity::error, "a guard that is not a condition on indices",
     "A guard compares sums of loop indices and integers; conditions on data are written with if_then_else.",
     "L^{4}_{a=0}?{a/2<1}[...];"},
    {"dtype-conflict", Severity::error, "a tensor with two dtypes",
     "A tensor keeps one dtype, that of the signature if it is known.", "D^{f32,g}_{a}=D^{f64,g}_{a}+1"},
    {"rank-conflict", Severity::error, "a tensor with two ranks",
     "A tensor has the same number of subscripts everywhere.", "D^{f32,g}_{a}=D^{f32,g}"},
    {"scope-conflict", Severity::error, "a tensor with two scopes",
     "A tensor keeps one scope; known variables are in scope g.", "D^{f32,l}_{a}=D^{f32,g}_{a}"},
    {"input-written", Severity::error, "an input, constant or parameter is written",
     "Only intermediates and outputs are written.", "A^{f32,g}_{a}=0 where A is an input"},
    {"type", Severity::error, "a value has no type",
     "Infinity has no place in an integer expression; everything else converts.", "max(C^{i64,g}_{a},-inf)"},
    {"missing-definition", Severity::error, "a tensor is read that nothing defines",
     "It is neither in the signature nor written anywhere.", "D^{f32,g}_{a}=E^{f32,g}_{a} without any E="},
    {"unused-variable", Severity::warning, "a known variable is never read", "The program does not depend on it.",
     "@param E ... and no E"},
    {"dead-store", Severity::warning, "an intermediate is never read", "What writes it can be removed.",
     "E^{f32,g}_{a}=...; and no reader"},

    {"scope-axes", Severity::error, "accesses to an s or l tensor inside different axes",
     "All accesses to an l tensor lie inside the same bound axes, all accesses to an s tensor inside the same block "
     "axes: "
     "otherwise it is not said whose copy is meant.",
     "B^{4}_{tx=0}[E^{f32,l}=0;D^{f32,g}_{tx}=0;] and E^{f32,l} outside tx"},
    {"block-placement", Severity::error, "a block loop does not enclose all items of its kernel",
     "Loops over bx by bz stand in the kernel's header, except in a perfect nest.",
     "B^{4}_{tx=0}[D^{f32,g}_{tx}=0;B^{2}_{bx=0}[...];];"},
    {"scope-demoted", Severity::warning, "a tensor in s or l is touched by several kernels",
     "It cannot live there: every back end treats it as g. Published programs contain this; ours do not.",
     "E^{f32,s} written in one kernel and read in the next"},
    {"scope-ambiguous", Severity::error, "a demoted tensor that means two things",
     "Every back end treats it as g, but in its own scope this read would see another value: another thread or block "
     "wrote the element last, or an accumulator would start afresh. The message gives the iteration. Which write "
     "is seen decides, not whether two of them happen to store one value.",
     "E^{f32,l} accumulated in two kernels"},
    {"scope-ambiguous-unknown", Severity::unknown, "a demoted tensor that may mean two things",
     "Data decides which write a read sees, or whether two writes are of the same value, or the question was too hard.",
     "E^{f32,l} written by all threads, read by one"},
    {"unit-axes", Severity::error, "loops that may not stand beside units",
     "wx, wy and wz count the warps of a block. Under a loop over them stand only matrix nests, all inside the same "
     "unit "
     "axes, without l data; loops over tx stand beside them, not around or inside, and ty and tz nowhere in the "
     "kernel.",
     "B^{4}_{wx=0}[D^{f32,g}_{wx}=A^{f32,g}_{wx};];"},
    {"matrix-nest", Severity::error, "T loops in a place where they cannot be",
     "T loops are the last loops of a header whose body is one equation, inside a loop over a unit axis (wx wy wz), "
     "with "
     "only L, U and B loops around them in the kernel.",
     "B^{32}_{tx=0}T^{16}_{a=0}[E^{f32,f}_{a}=0;];"},
    {"matrix-form", Severity::error, "an equation under T loops that has none of the forms",
     "The forms are the contraction X=X+F*G with X in f, F in s or f and G in s; the reduction of columns by +, max or "
     "min "
     "into a tensor of the rows in f; and the elementwise equation, which loads and stores too. The message says which "
     "part does not fit and what would do.",
     "T^{16}_{a=0}T^{8}_{c=0}T^{16}_{d=0}[E^{f32,f}_{a,c}=E^{f32,f}_{a,c}+F^{f16,g}_{a,d}*G^{f16,s}_{d,c};];"},
    {"matrix-shape", Severity::error, "a contraction for which there is no instruction",
     "Rows, columns and inner iterations are multiples of those of the instruction: 16, 8, 16 for f16 and bf16, 8, 8, "
     "4 for "
     "f64. f16 is summed in f32 or f16, bf16 in f32, f64 in f64. Round loops up and fill the staged copies; for other "
     "types "
     "there is the move tile.",
     "a contraction of f32, or of 12 rows"},
    {"fragment", Severity::error, "f data that is used in a way that fragments do not have",
     "Only matrix nests of one kernel touch a tensor in f. Each of its subscripts is one T index, with an offset of "
     "constants "
     "and indices of U loops in whole steps, in the order of the header, rows before columns.",
     "E^{f32,f}_{c,a} under T loops over a and then c"},
    {"depth-loop", Severity::error, "a depth without rounds",
     "A depth (s2 to s5) says how many rounds of a loop a back end may keep in flight. The loop is the innermost L "
     "loop "
     "of the kernel around all accesses to the tensor. Write s, or stage the data inside such a loop.",
     "B^{32}_{tx=0}[E^{f32,s2}_{tx}=A^{f32,g}_{tx};];"},
    {"depth-carried", Severity::error, "a tensor with a depth carries data from one round to the next",
     "Every element of it that is read in a round of its loop must be written in that round, and not by accumulating: "
     "the next round may be on its way already. The message gives the iteration. In s the same program is legal.",
     "E^{f32,s2}_{tx} written where a<3 and read for all a"},
    {"depth-carried-unknown", Severity::unknown, "a tensor with a depth that may carry data between rounds",
     "Data decides which elements are written in a round, or the question was too hard.",
     "E^{f32,s2} read at a subscript that is data"},
    {"division-by-zero", Severity::error, "an integer is divided by zero",
     "// and % of integers by zero have no value, in equations, guards and subscripts alike. The message gives the "
     "iteration.",
     "D^{i64,g}_{a}=7//a"},
    {"division-by-zero-unknown", Severity::unknown, "an integer divisor that may be zero",
     "Data decides. A divisor that is a known variable without a domain is assumed not to be zero, and the answer says "
     "so.",
     "A^{i32,g}_{a}//(C^{i32,g}_{a}-1)"},
    {"index-size", Severity::error, "an index that can reach 2^62",
     "Subscripts, operands of guards and conditions on loop indices are exact integers, which are computed in 64 bits. "
     "Whatever can reach 2^62 in absolute value at some iteration, as a whole or in a part, is refused; sums count "
     "their terms without signs.",
     "L^{6}_{a=0}?(a*4611686018427387904>5)"},
    {"out-of-range", Severity::error, "a subscript outside its dimension",
     "The message gives the iteration and the value of the subscript there. A read guarded by if_then_else is only "
     "made "
     "where its branch is taken.",
     "L^{4}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a+1};]; with A f32[4]"},
    {"out-of-range-unknown", Severity::unknown, "a subscript that may leave its dimension",
     "Data decides, or the question was too hard. A domain such as [0,10) for the index tensor settles most cases.",
     "A^{f32,g}_{E^{i64,g}_{a}} with a computed E"},
    {"undefined-read", Severity::error, "an element is read before anything writes it",
     "Every element starts undefined. The message gives an iteration whose read sees no write before it. Only an "
     "accumulator (X=X+..., X*..., max, min with X itself) may start undefined: it then reads as 0, 1, -inf, inf.",
     "L^{4}_{a=0}[D^{f32,g}_{a}=D^{f32,g}_{a}*2+1;];"},
    {"undefined-read-unknown", Severity::unknown, "a read whose element may not have been written",
     "Data decides whether the element is read or written, or the question was too hard.",
     "D^{f32,g}_{C^{i64,g}_{a}} of a partly written D"},
    {"not-written", Severity::error, "an output element is never written",
     "Every element of every output is written; the message names the first that is not.",
     "L^{3}_{a=0}[D^{f32,g}_{a}=0;]; with D f32[4]"},
    {"not-written-unknown", Severity::unknown, "an output of which some element may not be written",
     "A writer's subscript reads data, or the question was too hard.", "D^{f32,g}_{C^{i64,g}_{a}}=..."},

    {"race", Severity::error, "two iterations that run at the same time touch one element, and one writes it",
     "Iterations of P and V loops, threads of a block and blocks of a launch run in any order. The message gives two "
     "of them and the element. Allowed are a reduction (X=X+... over a P or V loop; over a B loop it stands alone in "
     "its nest), a write that is the same in every iteration (redundant-write), and threads of a block that meet in "
     "different items of a body without an open thread loop, or in different rounds of a loop around it: there the "
     "back end puts a barrier.",
     "P^{4}_{a=0}[D^{f32,g}_{a//2}=A^{f32,g}_{a};];"},
    {"race-unknown", Severity::unknown, "iterations that run at the same time may touch one element",
     "Data decides which elements are touched, or the question was too hard.",
     "P^{4}_{a=0}[D^{f32,g}_{C^{i64,g}_{a}}=1;];"},
    {"divergent-barrier", Severity::error, "a barrier would be needed where not all threads pass",
     "Data passes between threads from one item to the next under a guard on thread indices. A barrier cannot stand "
     "there; a guard without thread indices may enclose one. The message gives the two threads and the element.",
     "B^{4}_{tx=0}?{tx<3}[E^{f32,s}_{tx}=0;D^{f32,g}_{tx}=E^{f32,s}_{2-tx};];"},
    {"redundant-write", Severity::warning, "every iteration of a loop writes the same to one element",
     "The equation uses neither the index of the P, V or B loop nor anything written in it, so it does not matter "
     "which iteration writes last.",
     "B^{128}_{tx=0}[F^{f32,g}=log(I^{f32,g});];"},
    {"launch-limit", Severity::warning, "a kernel has more threads or blocks than a device launches",
     "An error with --device. Without it the limits are those of CUDA: blocks 2^31-1, 65535, 65535 along bx, by, bz; "
     "threads 1024, 1024, 64 along tx, ty, tz and 1024 in all.",
     "B^{2048}_{tx=0}[D^{f32,g}_{tx}=0;];"},
    {"shared-memory", Severity::warning, "the s tensors of a kernel do not fit in shared memory",
     "An error with --device. All tensors in scope s that the kernel touches count, with the shape that its writes "
     "give them.",
     "B^{8}_{bx=0}B^{1024}_{tx=0}L^{64}_{a=0}[E^{f32,s}_{tx,a}=0;];"},
    {"l-spills", Severity::warning, "l data that will not stay in registers",
     "Only with --device. Registers cannot be indexed: loops that subscript an l tensor are unrolled, within a budget, "
     "and a thread has a kilobyte for l data. Beyond that, or where data or a bound index is the subscript, it is kept "
     "in memory, which is slow.",
     "B^{4}_{tx=0}L^{300}_{a=0}[E^{f32,l}_{a}=0;];"},

    {"invalid", Severity::error, "a program cannot be run at all",
     "`steptp check` says why: a structure that has no meaning, or an element that is not one of an output.",
     "run a program without a signature"},
    {"budget", Severity::error, "a run would take more operations than allowed",
     "Work is estimated before it begins. `--budget N` allows more, `--elements` asks for less. The exit status is 3.",
     "steptp run a_large_matmul.leir"},
    {"memory", Severity::error, "a run would take more memory than allowed", "The exit status is 3.",
     "an intermediate of 10^12 elements"},
    {"input-missing", Severity::error, "an input has no data",
     "Each input, constant and parameter is an array of that name in the .npz file.",
     "--inputs with a file that lacks A"},
    {"input-mismatch", Severity::error, "an input has another dtype or shape than the signature says",
     "Nothing is converted silently.", "an f64 array for an f32 input"},
    {"internal", Severity::error, "the program itself failed",
     "An error of ours, not of the input. The message says what was found; the same call will fail again.",
     "no memory is left while a pair is judged"},
    {"cancelled", Severity::error, "a run was stopped", "The caller asked for it.", "Ctrl-C in Python"},
};

}  // namespace

std::span<const Explanation> all_explanations() { return kCatalogue; }

const Explanation* find_explanation(std::string_view id) {
  for (const Explanation& entry : kCatalogue) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

std::string to_text(const Explanation& explanation) {
  return concat(explanation.id, " (", severity_name(explanation.severity), ")\n", explanation.summary, "\n\n",
                explanation.explanation, "\n\nExample:\n  ", explanation.example, "\n");
}

}  // namespace steptp
