"""What is wrong with the service, and what to do about it: a module for each topic.

A topic is a function without parameters that yields findings; ``examination.TOPICS`` lists them in
the order in which they are reported, and a new one is added there. Topics change nothing, and the
number of their queries does not grow with the records.
"""
