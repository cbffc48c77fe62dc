#include <cstdio>

int main() { std::puts("nameplate"); }
