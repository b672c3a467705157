# Shares of cells and their standard errors by R's package survey; run by survey_reading.py.
folder <- commandArgs(trailingOnly = TRUE)[1]
frame <- read.csv(file.path(folder, "weights.csv"), colClasses = "character", check.names = FALSE, na.strings = character(0))
numbers <- grep("^weight(_[0-9]+)?$", names(frame))
frame[numbers] <- lapply(frame[numbers], as.numeric)
replicates <- length(numbers) - 1
design <- survey::svrepdesign(
  data = frame, weights = ~weight, repweights = "^weight_[0-9]+$", type = "bootstrap",
  scale = 1 / replicates, rscales = rep(1, replicates), combined.weights = TRUE, mse = TRUE
)
cells <- readLines(file.path(folder, "cells.txt"))
found <- vapply(strsplit(cells, ";", fixed = TRUE), function(parts) {
  inside <- rep(TRUE, nrow(frame))
  for (part in strsplit(parts, "=", fixed = TRUE)) inside <- inside & frame[[part[1]]] == part[2]
  own <- survey::svymean(~inside, update(design, inside = as.numeric(inside)))
  paste(format(as.numeric(coef(own)), digits = 10), format(as.numeric(survey::SE(own)), digits = 10), sep = ",")
}, "")
writeLines(found, file.path(folder, "read.csv"))
