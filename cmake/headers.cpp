// Compiles nothing of its own: the targets with this file own the headers that others share (cmake/Compiler.cmake).
int main() { return 0; }
