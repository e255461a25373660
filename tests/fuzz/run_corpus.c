/* Runs a fuzz target over every file of the folders named as arguments: a corpus as a test, without libFuzzer. */
#include "fuzz.h"

#include <dirent.h>

static int run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return -1;
	}
	fseek(file, 0, SEEK_END);
	long size = ftell(file);
	rewind(file);
	/* An exact allocation, so that AddressSanitizer sees a read one past the end. */
	uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
	size_t got = data && size > 0 ? fread(data, 1, (size_t)size, file) : 0;
	fclose(file);
	int result = data && got == (size_t)size ? LLVMFuzzerTestOneInput(data, got) : -1;
	free(data);
	return result;
}

int main(int argc, char **argv)
{
	int ran = 0;
	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);
		if (!folder) {
			perror(argv[i]);
			return 1;
		}
		for (struct dirent *entry; (entry = readdir(folder));) {
			if (entry->d_name[0] == '.')
				continue;
			char path[4096];
			snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
			if (run_file(path) != 0)
				return 1;
			ran++;
		}
		closedir(folder);
	}
	printf("%d inputs\n", ran);
	return ran > 0 ? 0 : 1;
}
