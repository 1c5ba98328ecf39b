import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type LayerClient, openLayerClient } from '../../support/layer_client.ts'
import { onlyNew } from '../../support/only_new.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { makeShapefile, townNames } from '../../support/shapefile.ts'
import { findUnreferencedFiles } from '../../support/unreferenced_files.ts'
import { makeZip, type ZipEntry } from '../../support/zip.ts'

const utf8 = makeShapefile('UTF-8')
const cp1251 = makeShapefile('CP1251')

/** An archive whose page of codes says something else, or that has none. */
const withPage = (files: readonly ZipEntry[], page?: string) =>
  makeZip(
    files.flatMap((file) => {
      if (!file.name.endsWith('.cpg')) return [file]
      return page === undefined ? [] : [{ ...file, content: page }]
    }),
  )

/** An archive without a page of codes, whose table itself says what its texts are in. */
const withLanguage = (files: readonly ZipEntry[], language: number) =>
  withPage(withLanguageOf(files, language))

const withLanguageOf = (files: readonly ZipEntry[], language: number) =>
  files.map((file) => {
    if (!file.name.endsWith('.dbf')) return file
    const content = Buffer.from(file.content)
    content[29] = language
    return { ...file, content }
  })

const renamed = (names: Readonly<Record<string, string>>) =>
  makeZip(cp1251.map((file) => ({ ...file, name: names[file.name] ?? file.name })))

/** Writes Russian text in code page 1251. @see https://encoding.spec.whatwg.org/#index-windows-1251 */
const inCyrillicPage = (text: string) =>
  Buffer.from([...text].map((letter) => (letter < 'А' ? letter.charCodeAt(0) : letter.charCodeAt(0) - 0x350)))

const table = `name,lon,lat\n${townNames.map((name) => `${name},1,2\n`).join('')}`

let server: TestServer
let client: LayerClient
beforeAll(async () => {
  server = await startTestServer('postgres')
  client = openLayerClient(server)
})
const findNewFiles = onlyNew(() => findUnreferencedFiles(server))
afterEach(async () => expect(await findNewFiles()).toEqual([]))
afterAll(() => server.stop())

type Source = [what: string, name: string, content: Buffer | string, encoding?: string]

test.each<Source>([
  ['a .cpg file says so', 'a.zip', withPage(cp1251, 'CP1251')],
  ['a .cpg file says so in other words', 'a.zip', withPage(cp1251, 'ANSI 1251\r\n')],
  ['only the table says so', 'a.zip', withLanguage(cp1251, 201)],
  ['a .cpg file says so, and a client that knows nothing UTF-8', 'a.zip', withPage(cp1251, '1251'), 'utf8'],
  ['a .cpg file says otherwise than the request', 'a.zip', withPage(cp1251, 'UTF-8'), '1251'],
  ['a .cpg file is empty, and the request says so', 'a.zip', withPage(cp1251, ''), 'Windows 1251'],
  ['the .cpg file has other capitals', 'a.zip', renamed({ 'towns.cpg': 'Towns.CPG' })],
  ['the request says UTF-8, as they are, and a .cpg file does not', 'a.zip', withPage(utf8, '1251'), 'UTF-8'],
  ['a .cpg file is empty, and they are UTF-8', 'a.zip', withPage(utf8, '')],
  ['a .cpg file is nonsense, and they are UTF-8', 'a.zip', withPage(utf8, 'klingon')],
  [
    'all files have capitals of their own',
    'a.zip',
    renamed({ 'towns.dbf': 'TOWNS.DBF', 'towns.prj': 'Towns.Prj' }),
  ],
  ['a table is in the encoding that the request names', 'a.csv', inCyrillicPage(table), '1251'],
  ['a table begins with the mark of UTF-8, whatever the request says', 'a.csv', `\uFEFF${table}`, '1251'],
])('strings are read unchanged if %s', async (_, name, content, encoding) => {
  const source = { ...(await client.upload(name, content)), encoding }
  const id = await client.create({ source, srs: { id: 3857 } })
  expect((await client.features(id)).map(({ fields }) => fields)).toEqual(
    townNames.map((town) => ({ name: town })),
  )
})

describe('strings are refused with a hint if', () => {
  const isNot = (encoding: string) => `the value of field name is not ${encoding}`

  test.each<[what: string, name: string, content: Buffer | string, words: string, encoding?: string]>([
    ['a .cpg file is empty, and they are no UTF-8', 'a.zip', withPage(cp1251, ''), isNot('UTF-8')],
    ['a .cpg file is nonsense, and they are no UTF-8', 'a.zip', withPage(cp1251, 'klingon'), isNot('UTF-8')],
    ['a .cpg file says 1251 over UTF-8', 'a.zip', withPage(utf8, '1251'), 'UTF-8, not windows-1251'],
    ['a table says 1251 over UTF-8', 'a.zip', withLanguage(utf8, 201), 'UTF-8, not windows-1251'],
    ['the request says 1251 over UTF-8', 'a.zip', withPage(utf8, 'UTF-8'), 'UTF-8, not CP1251', 'CP1251'],
    ['bytes of them are none of the encoding', 'a.zip', withPage(cp1251, 'Big5'), isNot('big5')],
    ['nobody knows the encoding', 'a.zip', withPage(utf8), 'the encoding "klingon" is not known', 'klingon'],
    ['the request says 1251 over a table in UTF-8', 'a.csv', table, 'UTF-8, not 1251', '1251'],
    ['bytes of a table are none of the encoding', 'a.csv', inCyrillicPage(table), isNot('big5'), 'big5'],
    [
      'the name of a field is none of the encoding',
      'a.csv',
      inCyrillicPage('имя,lon,lat\nx,1,2\n'),
      'is not shift_jis',
      'shift_jis',
    ],
  ])('%s', async (_, name, content, words, encoding) => {
    const source = { ...(await client.upload(name, content)), encoding }
    const { status, message, detail } = await client.refuse('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Refused' },
      vector_layer: { source, srs: { id: 3857 } },
    })
    expect(status, message).toBe(422)
    expect(`${message}\n${detail}`).toContain(words)
  })
})

const notesOf = async (name: string, content: Buffer) => {
  const source = await client.upload('a.zip', content)
  const answer = await server.admin('POST', '/api/resource/', {
    resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: name },
    vector_layer: { source, srs: { id: 3857 } },
  })
  const { report } = (await answer.json()) as { report: { notes: string[] } }
  return report.notes
}

test('a table that declares an unspecific Windows encoding is read, and the report names the encoding', async () => {
  expect(await notesOf('Of Windows', withLanguage(cp1251, 87))).toEqual([
    'Strings were read as windows-1252, since the table declares an unspecified Windows code page. Set source.encoding for another encoding.',
  ])
})

test('a .cpg file with ISO 8859-1 is taken at its word, and a note tells of characters that it lacks', async () => {
  const withByte = (byte: number) =>
    cp1251.map((file) => {
      if (!file.name.endsWith('.dbf')) return file
      return { ...file, content: Buffer.from(file.content).map((one) => (one >= 0x80 ? byte : one)) }
    })
  // Of tables that declare an unspecified Windows code page, too.
  const latin = withPage(withLanguageOf(withByte(0xe9), 87), 'ISO-8859-1')
  expect(await notesOf('Latin', latin)).toEqual([])
  expect(await notesOf('Euro', withPage(withByte(0x80), '88591'))).toEqual([
    'Strings were read as windows-1252, since they have characters that the declared encoding iso-8859-1 lacks.',
  ])
})
