// __WORDS__
