hdl/rtl/bloomlane_core.v
hdl/rtl/bloomlane_fifo.v
hdl/rtl/bloomlane_inline.v
hdl/rtl/bloomlane_mask.v
hdl/rtl/bloomlane_merge.v
hdl/rtl/bloomlane_positions.v
hdl/rtl/bloomlane_query.v
