import { existsSync, renameSync } from 'node:fs'
import { inRoot } from './paths.mjs'
import { run } from './run.mjs'

const version = '3.274.1'

/** File of Pulumi's own schema of package schemas. */
export const metaschemaFile = inRoot(`.cache/pulumi-metaschema-${version}.json`)

/** Reports whether the metaschema of Pulumi is there. */
export function isMetaschemaFetched() {
  return existsSync(metaschemaFile)
}

const script = `
import io, sys, urllib.request, zipfile
module = "github.com/pulumi/pulumi/pkg/v3"
archive = urllib.request.urlopen(f"https://proxy.golang.org/{module}/@v/v{sys.argv[1]}.zip", timeout=60).read()
content = zipfile.ZipFile(io.BytesIO(archive)).read(f"{module}@v{sys.argv[1]}/codegen/schema/pulumi.json")
open(sys.argv[2], "wb").write(content)
`

/**
 * Fetches the metaschema of Pulumi from its Go module, the only package that has it.
 * @throws {Error} if it cannot be downloaded
 */
export async function fetchMetaschema() {
  const draft = `${metaschemaFile}.${process.pid}`
  await run('python3', ['-c', script, version, draft], { limitMs: 120_000 })
  renameSync(draft, metaschemaFile)
}
