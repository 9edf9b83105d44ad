"""What one lesson alone draws or measures: a package for each lesson, which no other lesson's imports."""
