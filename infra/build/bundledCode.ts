import { fileURLToPath } from 'node:url';
import { AssetHashType } from 'aws-cdk-lib';
import { type AssetCode, Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { buildBundle, SEQUENCER_SOURCES, UPLOAD_SOURCES, writeBundle } from './bundle.ts';

/** The runtime of all functions. */
export const RUNTIME = Runtime.NODEJS_24_X;

const sources = { upload: UPLOAD_SOURCES, sequencer: SEQUENCER_SOURCES };

/** The bundles that are built: every stage of an app has the same. */
const built = new Map<keyof typeof sources, ReturnType<typeof buildBundle>>();

/** Writes the bundle of a function to a folder. It is built once per process. */
function writeCode(name: keyof typeof sources, outDir: string): true {
  const files = built.get(name) ?? buildBundle(sources[name], { sourceMap: false });
  built.set(name, files);
  writeBundle(files, outDir);
  return true;
}

/**
 * Builds the bundle of a function during synth. The asset hash covers the output, so that the function is only
 * redeployed if its code changes. The source map is left out: zipped, it is three times as large as the code, and it
 * makes the import 25 % slower.
 * @param name the folder of the function in functions/
 */
export const bundledCode = (name: keyof typeof sources): AssetCode =>
  // Each function has its own folder: for the same folder, CDK would reuse the first bundle.
  Code.fromAsset(fileURLToPath(new URL(`../../functions/${name}`, import.meta.url)), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK requires an image, but never uses it: local bundling always succeeds or throws.
      image: RUNTIME.bundlingImage,
      local: { tryBundle: (outDir) => writeCode(name, outDir) },
    },
  });
