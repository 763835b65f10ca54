"""What words say: terms and stems, whether two facts are alike, which time a question names."""
