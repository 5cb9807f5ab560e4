# The image of the signer, from its Debian package. Build it in the folder of the package:
#   docker build --file signer.Dockerfile --tag bursar-signer:VERSION FOLDER
# BASE has libc 2.28 or newer and libstdc++6. Its shell is used while the image is built, and never by a container.
ARG BASE=debian:bookworm-slim
FROM ${BASE} AS unpacked
COPY bursar-signer_*.deb /package/bursar-signer.deb
RUN ["dpkg-deb", "--extract", "/package/bursar-signer.deb", "/unpacked"]
# A new volume gets the owner of this folder.
RUN ["install", "-d", "-o", "10002", "-g", "10002", "-m", "700", "/state"]

FROM ${BASE}
COPY --from=unpacked /unpacked/usr/lib/bursar-signer /usr/lib/bursar-signer
COPY --from=unpacked /unpacked/usr/share/doc/bursar-signer/copyright /usr/share/doc/bursar-signer/copyright
COPY --from=unpacked --chown=10002:10002 /state /var/lib/bursar-signer
ENV NODE_ENV=production
# The user has no name in the image: orchestrators compare numbers.
USER 10002:10002
VOLUME /var/lib/bursar-signer
EXPOSE 7443
# A TCP connection alone: a request needs a certificate, which this container has no reason to have.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["/usr/lib/bursar-signer/node", "-e", "require('node:net').connect(7443, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/usr/lib/bursar-signer/node", "/usr/lib/bursar-signer/signer/src/main.js"]
CMD ["--help"]
