"""Black boxes that answer questions: the interface, wrappers around it, and symbolic agents made from files."""
