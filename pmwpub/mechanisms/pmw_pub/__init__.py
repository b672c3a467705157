"""PMW^Pub (Liu, Vietri, Steinke, Ullman, Wu 2021): select, measure, reweight. `algorithm` has the loop."""
