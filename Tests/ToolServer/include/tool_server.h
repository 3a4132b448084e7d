/* A library that is preloaded into a command-line tool, such as ffmpeg, to start it many times at little cost.

   Loading ffmpeg's 200 libraries takes 60 ms of processor time. With this library in LD_PRELOAD, a tool loads them, and
   then serves requests on its standard input, a stream socket, instead of running its main function. For each request it
   starts a copy of itself that runs it. The copies are children of the process that started the server.

   A request is a 32-bit length in the byte order of the machine, and that many bytes: the paths of three files for the
   standard streams, and the arguments, which begin with the tool's name. Each ends with a zero. The answer is the 32-bit
   id of the copy, negative if it could not be started. */
