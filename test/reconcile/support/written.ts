import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadManifest } from '../../../src/manifest/load_manifest.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { formatManifest, type WrittenManifest } from '../../../src/manifest/rewrite.ts'

/** Writes manifest files into a folder of its own and loads them; any fault fails the test. */
export async function loadTexts(texts: Readonly<Record<string, string>>): Promise<Manifest> {
  const cwd = await mkdtemp(join(tmpdir(), 'landform-manifest-'))
  try {
    for (const [name, text] of Object.entries(texts)) await writeFile(join(cwd, name), text)
    const { manifest, issues } = await loadManifest({ paths: Object.keys(texts), env: {}, cwd })
    if (manifest !== undefined) return manifest
    throw new Error(`${issues.map(({ message }) => message).join('\n')}\n${Object.values(texts).join('\n')}`)
  } finally {
    await rm(cwd, { recursive: true })
  }
}

/** Writes a manifest as YAML and loads it again. */
export function loadWritten(manifest: WrittenManifest): Promise<Manifest> {
  return loadTexts({ 'pulled.yaml': formatManifest(manifest) })
}
