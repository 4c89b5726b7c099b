/* embedding_commands.h -- commands that make embeddings of pooled graphs, or look at embeddings. */
#ifndef CLI_ARGS_EMBEDDING_COMMANDS_H
#define CLI_ARGS_EMBEDDING_COMMANDS_H

int deepwalk_main(int argc, char **argv);
int fedwalk_main(int argc, char **argv);
int classify_main(int argc, char **argv);
int neighbours_main(int argc, char **argv);

#endif
