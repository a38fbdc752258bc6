/**
 * Replaces the SDK's default credentials chain in the bundle. Lambda and the local run both pass credentials in the
 * environment, so the rest of the chain (SSO, profiles, containers, instance metadata) is a fifth of the code and
 * unused.
 */
export const defaultProvider = () => async () => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new Error('The environment has no AWS credentials');
  return { accessKeyId, secretAccessKey, ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }) };
};
