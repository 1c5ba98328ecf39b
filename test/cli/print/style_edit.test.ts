import { expect, test } from 'vitest'
import { formatStyleEdits } from '../../../src/cli/print/style_edit.ts'
import { painter } from '../../../src/cli/print/text_format.ts'
import { findStyle } from '../../../src/style/check_style_text.ts'
import { diffStyles } from '../../../src/style/diff/style_diff.ts'

/** Formats the differences of two styles of lines. */
function format(from: string, to: string, language: 'mapserver' | 'qml' = 'mapserver'): string[] {
  const [old, next] = [from, to].map((text) => findStyle(language, text, 'LINESTRING'))
  if (old === undefined || next === undefined) throw new Error('not a style')
  return formatStyleEdits(diffStyles(old, next), painter(false))
}

const map = (...classes: readonly string[]) =>
  `<map><layer><classitem>lanes</classitem><labelitem>name</labelitem>${classes.map((one) => `<class>${one}</class>`).join('')}</layer></map>`
const line = (red: number, width: number, more = '') =>
  `<style><color red="${red}" green="0" blue="0"/><width>${width}</width>${more}</style>`

test('shows changes of a rule and of its symbol in a line each', () => {
  const from = map(`<name>Motorways</name><expression>([lanes] &gt; 4)</expression>${line(255, 3)}`)
  const to = map(
    `<name>Motorways</name><expression>([lanes] &gt; 5)</expression><maxscaledenom>50000</maxscaledenom>${line(254, 5, '<pattern>4 2</pattern>')}<label><size>9</size></label>`,
  )
  expect(format(from, to)).toEqual([
    '  ~ rule "Motorways"  filter "lanes" > 4 → "lanes" > 5, smallest scale none → 1:66,667',
    '  ~ rule "Motorways" / line  colour #ff0000 → #fe0000, width 3 px → 5 px, dashes none → 4 2 px',
    '  + rule "Motorways" / labels  "name"',
  ])
})

test('shows added, removed, renamed and moved rules', () => {
  const a = `<name>A</name>${line(1, 1)}`
  const b = `<name>B</name>${line(2, 1)}`
  const c = `<name>C</name>${line(3, 1)}${line(4, 2)}`
  expect(format(map(a, b), map(b, a))).toEqual(['  ~ style  order "A", "B" → "B", "A"'])
  expect(format(map(a, b), map(a, c))).toEqual([
    '  + rule "C"  line #030000 1 px + line #040000 2 px',
    '  - rule "B"  line #020000 1 px',
  ])
  expect(format(map(a, b), map(a, `<name>New</name>${line(2, 1)}`))).toEqual([
    '  ~ rule "B"  label "B" → "New"',
  ])
})

test('shows no more than 30 lines', () => {
  const classes = (red: number) =>
    Array.from({ length: 40 }, (_, at) => `<name>class ${at}</name>${line(red, at + 1)}`)
  const lines = format(map(...classes(1)), map(...classes(2)))
  expect(lines.slice(-2)).toEqual([
    '  ~ rule "class 29" / line  colour #010000 → #020000',
    '  … and 10 changes more',
  ])
})

test('shows symbols of QML, and never two equal texts', () => {
  const qml = (
    width: string,
    name: string,
  ) => `<qgis opacity="1"><renderer-v2 type="singleSymbol" symbollevels="0">
    <symbols><symbol type="line" name="0" alpha="1"><layer class="SimpleLine" enabled="1" pass="0">
      <prop k="line_color" v="1,2,3,255"/><prop k="line_width" v="${width}"/><prop k="line_width_unit" v="Pixel"/>
    </layer></symbol></symbols></renderer-v2><layerOpacity>${name}</layerOpacity></qgis>`
  expect(format(qml('1', '1'), qml('2.0004', '0.5'), 'qml')).toEqual([
    '  ~ line  width 1 px → 2 px',
    '  ~ style  opacity 100 % → 50 %',
  ])
  expect(format(qml('2', '1'), qml('2.0004', '1'), 'qml')).toEqual(['  ~ line  width 2 → 2.0004'])
})

test('shows long texts that start alike from where they differ', () => {
  const start = 'CASE WHEN '.padEnd(150, 'a')
  const edit = { path: [], action: 'change', property: 'expression of size' } as const
  const [shown = ''] = formatStyleEdits(
    [{ ...edit, from: `${start} 1 ${'b'.repeat(150)}`, to: `${start} 2 ${'b'.repeat(150)}` }],
    painter(false),
  )
  const part = (value: number) => `…${'a'.repeat(19)} ${value} ${'b'.repeat(76)}…`
  expect(shown).toBe(`  ~ style  expression of size ${part(1)} → ${part(2)}`)
})
