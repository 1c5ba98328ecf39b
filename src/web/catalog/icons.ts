/** SVG paths of the icons, stroked, in a view box of 20 by 20. */
export const icons = {
  close: 'M5 5l10 10M15 5L5 15',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  home: 'M3.5 9.5L10 4l6.500 5.500M5.500 8.500V16h9V8.500',
  north: 'M10 3l4 13-4-3-4 3z',
  extent: 'M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4',
  layers:
    'M10 3.500l7 3.700-7 3.700-7-3.700zM3.500 10.800L10 14.300l6.500-3.500M3.500 13.800L10 17.300l6.500-3.500',
  opacity: 'M10 3.500l4 5.500a5 5 0 1 1-8 0zM10 3.500v13.500',
  fold: 'M7 5l5 5-5 5',
} as const
