import { createXmlParser, localName, XmlFault } from '../core/xml_parser.ts'

/** Maximum length of the text of an exception in a message. */
const maxTextLength = 300

/**
 * Finds the text of an exception report; undefined if the text is not one.
 *
 * @see OGC 06-042 clause 6.11, OGC 01-068r3 annex A.3, OGC 06-121r9 clause 8
 */
export function findServiceException(xml: string): string | undefined {
  let found: string | undefined
  let isReport = false
  const names: string[] = []
  const parser = createXmlParser(
    {
      open(name) {
        names.push(localName(name))
        isReport ||= /^(ServiceExceptionReport|ExceptionReport)$/.test(names[0] ?? '')
      },
      text(part) {
        if (/^(ServiceException|ExceptionText)$/.test(names.at(-1) ?? '')) found = (found ?? '') + part
      },
      close() {
        names.pop()
      },
    },
    { maxDepth: 20, maxElements: 1000, doctype: 'external' },
  )
  try {
    parser.write(xml)
    parser.end()
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error
  }
  if (!isReport) return undefined
  const text = (found ?? '').replace(/\s+/g, ' ').trim()
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
}
