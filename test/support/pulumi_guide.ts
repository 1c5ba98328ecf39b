import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseStory } from './story.ts'

/** The guide of the Pulumi provider. */
export const readGuide = () => readFile(new URL('../../docs/pulumi.md', import.meta.url), 'utf8')

/** Writes the files of the guide to a new folder of this checkout, whose sources the program then uses. */
export async function writeGuide(): Promise<string> {
  const folder = await mkdtemp(join(fileURLToPath(new URL('../fixtures/pulumi/', import.meta.url)), 'guide-'))
  for (const block of parseStory(await readGuide())) {
    if (block.kind !== 'file') continue
    const text = block.text.replaceAll("'landform/pulumi'", "'../../../../src/pulumi/index.ts'")
    await writeFile(join(folder, block.path), text)
  }
  return folder
}
