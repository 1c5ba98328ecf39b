const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Escapes a string for element text and quoted attributes; parsing returns it unchanged. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"\t\n\r]/g, (character) => entities[character] ?? character)
}
