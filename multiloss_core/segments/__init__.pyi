from .held_out_gain import Gate as Gate
from .rated_segments import MAX_SEGMENTS as MAX_SEGMENTS
from .rated_segments import MIN_OF_EACH_CLASS as MIN_OF_EACH_CLASS
from .segment_paths import CountsAlong as CountsAlong
from .segment_paths import SegmentPaths as SegmentPaths
from .segment_paths import SegmentPoint as SegmentPoint
from .segment_paths import SegmentPoints as SegmentPoints
from .segment_paths import segment_paths as segment_paths
