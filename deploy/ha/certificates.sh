#!/bin/sh
# Makes the certificates of the database machines, for ten years:
#   sh certificates.sh FOLDER db1=10.88.0.11 db2=10.88.0.12 db3=10.88.0.13
# FOLDER/NAME has the files of one machine, and FOLDER/doctor those of `bursar doctor --patroni-tls`. Machines have an
# authority of their own (ca.crt): its certificates can write to etcd. The certificate of doctor is from another one,
# which only Patroni's REST interface accepts (clients.crt has both). Keep FOLDER/*.key away from every machine, or
# remove them. Needs openssl 3. Makes only files that are missing.
set -eu
umask 077
folder=$1
shift
mkdir -p "$folder"
printf '[req]\ndistinguished_name=name\n[name]\n' >"$folder/openssl.cnf"

# $1: file without its ending; $2: common name; then further options.
certify() {
  file=$folder/$1
  name=$2
  shift 2
  [ -e "$file.crt" ] && return
  openssl req -x509 -config "$folder/openssl.cnf" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -keyout "$file.key" -out "$file.crt" -days 3650 -subj "/CN=$name" -addext subjectKeyIdentifier=hash "$@"
}

# $1: file without its ending; $2: common name.
authority() {
  certify "$1" "$2" -addext basicConstraints=critical,CA:true -addext keyUsage=critical,keyCertSign,cRLSign
}

# $1: file without its ending; $2: common name; $3: its authority; $4: what it is used for; $5: alternative name.
issue() {
  certify "$1" "$2" -CA "$folder/$3.crt" -CAkey "$folder/$3.key" -addext authorityKeyIdentifier=keyid \
    -addext basicConstraints=critical,CA:false -addext keyUsage=critical,digitalSignature \
    -addext "extendedKeyUsage=$4" -addext "subjectAltName=$5"
}

authority ca 'Bursar database machines'
authority readers 'Bursar doctor'
for machine in "$@"; do
  mkdir -p "$folder/${machine%%=*}"
  issue "${machine%%=*}/server" "${machine%%=*}" ca serverAuth,clientAuth "IP:${machine#*=}"
  cp "$folder/ca.crt" "$folder/${machine%%=*}/ca.crt"
  cat "$folder/ca.crt" "$folder/readers.crt" >"$folder/${machine%%=*}/clients.crt"
done
mkdir -p "$folder/doctor"
issue doctor/client 'bursar doctor' readers clientAuth DNS:doctor.bursar
cp "$folder/ca.crt" "$folder/doctor/ca.crt"
