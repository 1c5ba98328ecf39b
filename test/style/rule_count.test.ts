import { expect, test } from 'vitest'
import { maxStyleRules } from '../../src/contract/limits.ts'
import { checkStyleText, findStyle, type StyleLanguage } from '../../src/style/check_style_text.ts'

const times = (count: number, text: string) => text.repeat(count)

const qml = (renderer: string) =>
  `<qgis version="3.28"><renderer-v2 type="nullSymbol">${renderer}</renderer-v2></qgis>`

const styles: readonly (readonly [name: string, StyleLanguage, (count: number) => string])[] = [
  ['classes', 'mapserver', (count) => `<map><layer>${times(count, '<class/>')}</layer></map>`],
  ['rules', 'qml', (count) => qml(`<rules>${times(count, '<rule/>')}</rules>`)],
  ['rules', 'qml', (count) => qml(`<categories>${times(count, '<category/>')}</categories>`)],
  ['rules', 'qml', (count) => qml(`<ranges>${times(count, '<range/>')}</ranges>`)],
  [
    'rules',
    'qml',
    (count) =>
      `<StyledLayerDescriptor><NamedLayer><UserStyle><FeatureTypeStyle>${times(count, '<Rule/>')}</FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`,
  ],
  [
    'layers',
    'qml',
    (count) => JSON.stringify({ layers: Array.from({ length: count }, () => ({ type: 'fill' })) }),
  ],
]

test.each(styles)('a style has at most 10,000 %s of %s', (name, language, write) => {
  expect(findStyle(language, write(maxStyleRules))).toBeDefined()
  const text = write(maxStyleRules + 1)
  expect(findStyle(language, text)).toBeUndefined()
  const [issue] = checkStyleText(language, text)
  expect(issue).toMatchObject({
    code: 'style/bad-value',
    severity: 'error',
    message: `the style has 10001 ${name}; the maximum is 10000`,
    hint: expect.any(String),
    span: { line: 1 },
  })
})
