import { expect, test } from 'vitest'
import { sourceFormatList, sourceFormatOf, sourceFormats } from '../../src/contract/formats/source_formats.ts'
import { formats, isData } from '../../src/gdal/sources/open_source.ts'

test('every source format has the facts of the contract', () => {
  for (const format of formats) expect(format).toMatchObject(sourceFormats[format.name])
})

test('extensions are unique to a format, and companion files are not data', () => {
  const own = sourceFormatList.flatMap(({ extensions, sharedExtensions = [], archiveExtensions = [] }) => [
    ...extensions,
    ...sharedExtensions,
    ...archiveExtensions,
  ])
  expect(new Set(own).size).toBe(own.length)
  const companions = sourceFormatList.flatMap(({ required = [], optional = [] }) => [
    ...required,
    ...optional,
  ])
  expect(companions.filter((extension) => own.includes(extension))).toEqual([])
})

test('a file in an archive is data if its extension belongs to a single format', () => {
  expect(['a.SHP', 'b.json', 'c.tsv', 'd.mif'].filter(isData)).toHaveLength(4)
  expect(['readme.txt', 'meta.xml', 'a.dbf', 'a.mid', 'Roads 1.5', 'a'].filter(isData)).toEqual([])
  expect(sourceFormatOf('.TXT')?.title).toBe('CSV')
  expect(sourceFormatOf('.dbf')).toBeUndefined()
})
