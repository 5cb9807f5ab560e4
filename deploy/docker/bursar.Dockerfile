# The image of the roles and commands of Bursar, from its Debian package. Build it in the folder of the package:
#   docker build --file bursar.Dockerfile --tag bursar:VERSION FOLDER
# BASE has libc 2.28 or newer and libstdc++6. Its shell is used while the image is built, and never by a container.
ARG BASE=debian:bookworm-slim
FROM ${BASE} AS unpacked
COPY bursar_*.deb /package/bursar.deb
RUN ["dpkg-deb", "--extract", "/package/bursar.deb", "/unpacked"]

FROM ${BASE}
COPY --from=unpacked /unpacked/usr/lib/bursar /usr/lib/bursar
COPY --from=unpacked /unpacked/usr/share/doc/bursar/copyright /usr/share/doc/bursar/copyright
ENV NODE_ENV=production
# The user has no name in the image: orchestrators compare numbers.
USER 10001:10001
EXPOSE 8080 9090
# Answers while the process can read its database (BURSAR_INNER=0.0.0.0:9090).
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["/usr/lib/bursar/node", "-e", "fetch('http://127.0.0.1:9090/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/lib/bursar/node", "--max-semi-space-size=16", "--heap-growing-percent=30", "/usr/lib/bursar/server/src/main.js"]
CMD ["--help"]
