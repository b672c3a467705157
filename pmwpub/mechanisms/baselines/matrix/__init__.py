"""Matrix mechanisms: noisy marginals or residuals of them, and answers without rows."""
