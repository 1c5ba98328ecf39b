import { expect, test } from 'vitest'
import { element, escapeXml, textElement, xmlNameOf } from '../../src/ogc/xml_text.ts'

test('escapes markup, and replaces characters that XML cannot represent', () => {
  expect(escapeXml('<a href="x">&\r\n\t\u0000\u0008\u001f\ufffe😀</a>')).toBe(
    '&lt;a href=&quot;x&quot;&gt;&amp;&#13;\n\t\ufffd\ufffd\ufffd\ufffd😀&lt;/a&gt;',
  )
})

test('writes elements', () => {
  expect(element('a', { b: '"\n', c: undefined, d: 1 })).toBe('<a b="&quot;&#10;" d="1"/>')
  expect(element('a', {}, textElement('b', '<'), '')).toBe('<a><b>&lt;</b></a>')
})

test.each([
  ['name', 'name'],
  ['имя', 'имя'],
  ['a b', 'a_b'],
  ['2020', '_2020'],
  ['-x', '_-x'],
  ['a:b/c', 'a_b_c'],
  ['', '_'],
  ['名', '_'],
  ['😀', '__'],
  ['a.b-c_1', 'a.b-c_1'],
])('the XML name of "%s" is "%s"', (text, name) => {
  expect(xmlNameOf(text)).toBe(name)
})
