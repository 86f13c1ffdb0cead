package challenge
import ("testing";"fmt";"time";"github.com/bloomlane/bloomlane/papers/trials";"github.com/bloomlane/bloomlane/papers/claim")
func TestTimes(t *testing.T){
 parts,err:=New().Parts(); if err!=nil{t.Fatal(err)}
 run:=&trials.Run{Seed:1,Short:true}
 for i,p:=range parts { s:=time.Now(); c,_:=p(run); fmt.Println(i,len(c),time.Since(s)) ; for j:=range c { if err:=c[j].Judge(); err!=nil { fmt.Println(err)} } }
}
var _ claim.Claim
