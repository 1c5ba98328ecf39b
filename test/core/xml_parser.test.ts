import { expect, test } from 'vitest'
import { createXmlParser, XmlFault, type XmlLimits } from '../../src/core/xml_parser.ts'

function parse(pieces: readonly string[], limits: Partial<XmlLimits> = {}): string[] {
  const events: string[] = []
  const parser = createXmlParser(
    {
      startTag: (name) => events.push(`start ${name}`),
      attribute: (name, value) => events.push(`@${name}=${value}`),
      open: (name, attributes) => events.push(`open ${name} ${Object.keys(attributes).join()}`),
      text: (text) => events.push(`text ${JSON.stringify(text)}`),
      close: (name) => events.push(`close ${name}`),
    },
    { maxDepth: 3, ...limits },
  )
  for (const piece of pieces) parser.write(piece)
  parser.end()
  return events
}

function faultOf(xml: string, limits: Partial<XmlLimits> = {}) {
  try {
    return parse([xml], limits)
  } catch (error) {
    if (error instanceof XmlFault) return [error.kind, error.offset, error.message]
    throw error
  }
}

test('reports the parts of a document in order, whatever its pieces', () => {
  const events = ['start p:a', '@x=1&2', 'open p:a x', 'text "é<"', 'text " t "', 'close p:a']
  expect(parse(['<p:a x="1&amp;2">&#xE9;&lt;<![CDATA[ t ]]></p:a>'])).toEqual(events)
  expect(parse(['<p:', 'a x="1&am', 'p;2">&#xE9;&lt;<![CDA', 'TA[ t ]]></p:', 'a>'])).toEqual(events)
})

test.each([
  ['<a>', ['syntax', 2, 'unclosed tag: a']],
  ['<a><b></a>', ['syntax', 9, 'unexpected close tag: <b> is open']],
  ['<a>&x;</a>', ['syntax', 5, 'undefined entity']],
  ['<a><b><c><d/></c></b></a>', ['depth', 10, 'elements nested deeper than 3 levels']],
  [' <!DOCTYPE a><a/>', ['doctype', 1, 'document types and entities are not allowed']],
])('refuses %s', (xml, fault) => {
  expect(faultOf(xml)).toEqual(fault)
})

test('limits the number of elements', () => {
  expect(faultOf('<a><b/><c/></a>', { maxElements: 2 })).toEqual(['size', 8, 'more than 2 elements'])
})

test.each([
  ['<!DOCTYPE a SYSTEM "x.dtd"><a/>', 'external', true],
  ['<!DOCTYPE a [<!ELEMENT a EMPTY>]><a/>', 'external', false],
  ['<!DOCTYPE a [<!ELEMENT a EMPTY>]><a/>', 'no-entities', true],
  ['<!DOCTYPE a [<!ENTITY b "c">]><a/>', 'no-entities', false],
] as const)('accepts %s with %s: %s', (xml, doctype, isAccepted) => {
  expect(faultOf(xml, { doctype })?.[0] !== 'doctype').toBe(isAccepted)
})
