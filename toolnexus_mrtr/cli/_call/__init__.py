"""What a command needs that calls a server and answers it: transports, who answers, and what is told of each step."""
