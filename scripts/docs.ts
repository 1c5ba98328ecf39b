/** `npm run docs` prints `docs/reference/` and the layers in `ARCHITECTURE.md` from the source. */
import { mkdir, writeFile } from 'node:fs/promises'
import { printFiles, referenceFolder, root } from './docs/print.ts'

await mkdir(root + referenceFolder, { recursive: true })
for (const [path, text] of await printFiles()) {
  await writeFile(root + path, text)
  console.log(path)
}
