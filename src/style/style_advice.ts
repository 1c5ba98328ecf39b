import type { Issue } from '../core/issue.ts'

/** What to do about parts of styles that are not drawn, by the start or a part of the message. */
const advice: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/^layer ".*: icon-image /, 'use a circle, or a QML file with SVG markers'],
  [/^layer ".*it belongs to /, 'write one style for each layer'],
  [
    /^layer ".*(the expression|is supported for|are supported|is not supported)/,
    'use the expressions of docs/styles.md',
  ],
  [/^layer ".*(is|are) not drawn$/, 'remove it if it is not needed'],
  [/^labels of displaced points/, 'use the labels of the layer'],
  [/of FontMarker is drawn as/, 'use letters, or an SVG marker'],
  [/^renderer /, 'use single symbol, categories, graduated ranges, rules or a heatmap'],
  [/is not a finite number|is too large to be drawn$/, 'write a number of usual size'],
  [/^symbol layer GeometryGenerator /, 'store the generated geometry in a layer of its own'],
  [/^symbol layer /, 'use simple fills, lines and markers, SVG markers, or patterns of lines or points'],
  [/^an SVG marker whose image is not embedded/, 'embed the image in the file'],
  [/^an SVG marker is drawn without /, 'embed the image in the SVG image'],
  [/^an SVG marker is not drawn: .*limit is/, 'simplify the image'],
  [/^an SVG marker is not drawn: /, 'save the image as plain SVG'],
  [/^scripts of an SVG marker /, 'remove them from the image'],
  [/^draw effects /, 'turn the effects off'],
  [/^diagrams /, 'turn the diagrams off'],
  [/^labels of type /, 'use simple labels, or labels by rules'],
  [/labels.*ELSE|ELSE.*labels/, 'write the opposite of the other filters'],
  [/function .* is not supported/, 'use a function of the list in docs/styles.md'],
  [/character \d+ of the expression/, 'use the expressions of docs/styles.md'],
  [/^reference scale /, 'turn the reference scale off'],
  [/transformation is not supported/, 'write an expression'],
  [/is not supported in filters/, 'use comparisons, And, Or and Not'],
  [/^<ExternalGraphic> /, 'use a <Mark>'],
  [/^<\w+> of <\w+> is not drawn/, 'remove it if it is not needed'],
  [/^unknown mark /, 'use square, circle, triangle, star, cross or x'],
  [/^(an expression|<\w+>.*) is not supported/, 'use a constant or a field'],
  [/^data-defined property /, 'use a fixed value, or rules'],
  [/percentages|meters at scale/, 'use millimetres, points, pixels or map units'],
  [/^blend mode /, 'use another blend mode'],
  [/^the file has no renderer/, 'save the file with its symbology'],
  [/^markers at placement /, 'use another placement'],
  [/^(shadows|backgrounds|masks|underlines|strikeouts|direction symbols) of labels /, 'turn them off'],
  [/^callouts of type /, 'use simple lines or Manhattan lines'],
  [/^callouts: |of callouts /, 'use a simple line without further settings'],
  [/^unknown symbol /, 'use a symbol of the list in docs/styles.md, or define it as <symbol>'],
  [/^only the first <layer>/, 'write one style for each layer'],
  [/^<layer> has no <class>/, 'add a <class> with a <style>'],
  [/^<label> is not drawn/, 'add <labelitem> to the layer'],
  [/^(unknown element|unknown attribute|ignored text|option )/, 'remove it if it is not needed'],
]

/** Adds to the warnings of a style what to do about them. */
export function withAdvice(issue: Issue): Issue {
  if (issue.hint !== undefined || issue.severity !== 'warning') return issue
  const [, hint] = advice.find(([pattern]) => pattern.test(issue.message)) ?? []
  return hint === undefined ? issue : { ...issue, hint }
}
